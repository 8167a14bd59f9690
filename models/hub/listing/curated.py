"""Recommended models of the Hub. Sizes are approximate: `read_listing` asks for the true ones."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


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


_OTHER_FAMILIES = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
CURATED_MODELS = (
    _opus("en", "de", "English to German", 58_101, "CC-BY-4.0", "The cat that I saw yesterday is asleep."),
    _opus("en", "es", "English to Spanish", 65_001, "Apache-2.0", "The cat that I saw yesterday is asleep."),
    _opus("en", "fr", "English to French", 59_514, "Apache-2.0", "The cat that I saw yesterday is asleep."),
    _opus("en", "zh", "English to Chinese", 65_001, "Apache-2.0", "I would like a cup of tea, please."),
    _opus("es", "en", "Spanish to English", 65_001, "Apache-2.0", "El gato que vi ayer está durmiendo."),
    _opus("de", "en", "German to English", 58_101, "Apache-2.0", "Das ist nicht mein Bier."),
    _opus("fr", "en", "French to English", 59_514, "Apache-2.0", "Il pleut des cordes depuis ce matin."),
    _opus("zh", "en", "Chinese to English", 65_001, "CC-BY-4.0", "我想喝一杯茶。"),
    *(CuratedModel(**{**model, "languages": tuple(model["languages"])}) for model in _OTHER_FAMILIES),
)
