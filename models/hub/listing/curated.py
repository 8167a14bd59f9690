"""Recommended models of the Hub. Sizes are approximate: `read_listing` asks for the true ones."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CuratedModel:
    """Facts about a model that the page shows before anything is fetched."""

    repo_id: str  # "owner/name"
    title: str
    task: str  # translation, summarization or instructions
    languages: tuple[str, ...]  # source and target, BCP 47; one for both; "mul" for many
    parameters: int  # millions
    megabytes: int  # the approximate size of the download
    licence: str  # SPDX of the weights; "": the card on the Hub says it
    note: str  # one sentence about its speciality
    example: str  # a text that it reads well


def _opus(source: str, target: str, names: str, vocabulary: int, licence: str, example: str) -> CuratedModel:
    # Marian has 6 + 6 layers of width 512 (44.1 M weights), one table for both vocabularies and the output,
    # and positions.
    parameters = (44_138_496 + vocabulary * 512 + 2 * 512 * 512) / 1e6
    return CuratedModel(
        repo_id=f"Helsinki-NLP/opus-mt-{source}-{target}",
        title=f"OPUS-MT {names}",
        task="translation",
        languages=(source, target),
        parameters=round(parameters),
        megabytes=round(4 * parameters) + 3,
        licence=licence,
        note="A Marian Transformer trained on all of OPUS: small, quick, and good at plain sentences.",
        example=example,
    )


CURATED_MODELS = (
    _opus("en", "de", "English to German", 58_101, "CC-BY-4.0", "The cat that I saw yesterday is asleep."),
    _opus("en", "es", "English to Spanish", 65_001, "Apache-2.0", "The cat that I saw yesterday is asleep."),
    _opus("en", "fr", "English to French", 59_514, "Apache-2.0", "The cat that I saw yesterday is asleep."),
    _opus("en", "zh", "English to Chinese", 65_001, "Apache-2.0", "I would like a cup of tea, please."),
    _opus("es", "en", "Spanish to English", 65_001, "Apache-2.0", "El gato que vi ayer está durmiendo."),
    _opus("de", "en", "German to English", 58_101, "Apache-2.0", "Das ist nicht mein Bier."),
    _opus("fr", "en", "French to English", 59_514, "Apache-2.0", "Il pleut des cordes depuis ce matin."),
    _opus("zh", "en", "Chinese to English", 65_001, "CC-BY-4.0", "我想喝一杯茶。"),
    CuratedModel(
        "google-t5/t5-small",
        "T5 small",
        "translation",
        ("en", "mul"),
        61,
        245,
        "Apache-2.0",
        "One network for many tasks: what to do is written before the source.",
        "The house is wonderful.",
    ),
    CuratedModel(
        "google/flan-t5-small",
        "FLAN-T5 small",
        "instructions",
        ("en",),
        77,
        311,
        "Apache-2.0",
        "T5 tuned to follow instructions: the source is the question.",
        "Answer the question: what is the capital of France?",
    ),
    CuratedModel(
        "sshleifer/distilbart-cnn-12-6",
        "DistilBART CNN",
        "summarization",
        ("en",),
        306,
        1225,
        "Apache-2.0",
        "BART with half its decoder left out, for summaries of news; its authors forbid repeated trigrams.",
        "The tower is 324 metres tall, about the same height as an 81-storey building. Its base is square.",
    ),
    CuratedModel(
        "facebook/bart-large-cnn",
        "BART CNN",
        "summarization",
        ("en",),
        406,
        1630,
        "MIT",
        "A denoising autoencoder fine-tuned on summaries of news.",
        "The tower is 324 metres tall, about the same height as an 81-storey building. Its base is square.",
    ),
    CuratedModel(
        "google/pegasus-xsum",
        "Pegasus XSum",
        "summarization",
        ("en",),
        570,
        2280,
        "",
        "Pre-trained to write sentences that were left out; sums up in just one, and tends to hallucinate.",
        "The tower is 324 metres tall, about the same height as an 81-storey building. Its base is square.",
    ),
    CuratedModel(
        "facebook/m2m100_418M",
        "M2M100 418M",
        "translation",
        ("mul",),
        484,
        1940,
        "MIT",
        "100 languages in every direction; the first token of the output names the language.",
        "Life is like a box of chocolates.",
    ),
    CuratedModel(
        "facebook/mbart-large-50-many-to-many-mmt",
        "mBART-50 many to many",
        "translation",
        ("mul",),
        611,
        2450,
        "",
        "50 languages; the first token of the output names the language.",
        "The head of the United Nations says there is no military solution.",
    ),
    CuratedModel(
        "facebook/nllb-200-distilled-600M",
        "NLLB-200 distilled 600M",
        "translation",
        ("mul",),
        615,
        2480,
        "CC-BY-NC-4.0",
        "200 languages, many with few texts of their own; not for commercial use.",
        "The ice on the lake is thin in spring.",
    ),
)
