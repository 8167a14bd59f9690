"""The card of a network of the transformers library: its facts, and a link to its authors' card."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from models.registry.card import CARD, CheckpointCard, Metric, read_header
from models.registry.checkpoint import CheckpointConfig
from models.registry.name import CheckpointName
from models.registry.variant import Variants, bcp47

HUB_CHAPTER = "hub"
FAMILIES = {
    "bart": "BART",
    "blenderbot": "BlenderBot",
    "m2m_100": "M2M100",
    "marian": "Marian",
    "mbart": "mBART",
    "mt5": "mT5",
    "pegasus": "Pegasus",
    "t5": "T5",
    "t5gemma": "T5Gemma",
    "umt5": "umT5",
}
SAFE_WORD = re.compile(r"[\w.+-]{1,60}", re.ASCII)  # a licence or a language, without markup
MAX_FACTS = 4  # languages, and metrics
MAX_FACT_CHARACTERS = 300


def write_hugging_face_card(
    folder: Path, config: CheckpointConfig, settings: Mapping[str, Any], name: str, decoding: str = ""
) -> None:
    """Write `README.md` in the form of this program. A card from the Hub is moved to the library's files.

    `decoding` is a sentence about the settings with which its authors decode.
    """
    card, library_folder = folder / CARD, folder / "transformers"
    if card.exists():
        card.replace(library_folder / CARD)
    metadata = _metadata(library_folder)
    family = FAMILIES.get(str(settings.get("model_type")), str(settings.get("model_type")))
    variants = Variants.of(config.network)
    header = {
        "license": _safe_text(metadata.get("license")) or "not stated",
        "language": _languages(config, variants, metadata),
        "library_name": "transformers",
        "unrolled": {
            "summary": " ".join(filter(None, (_summary(name, family, variants), decoding))),
            "task": _task(config, variants),
            "architecture": f"{family} Transformer{_sizes(settings)}",
            "data": "what its authors say on the Hub",
            "parameters": config.network["parameters"],
            "bytes": sum(file.stat().st_size for file in library_folder.glob("*.safetensors")),
            "chapter": HUB_CHAPTER,
            "lesson": "",
        },
    }
    body = _link(name) if name else "It was added from files."
    text = yaml.safe_dump(header, sort_keys=False, allow_unicode=True)
    card.write_text(f"---\n{text}---\n{body}\n", encoding="utf-8")


def from_strangers(card: CheckpointCard) -> CheckpointCard:
    """The card of a model from the Hub: its facts, shortened, and a link to the full card."""

    def short(text: str) -> str:
        return text[:MAX_FACT_CHARACTERS]

    facts = ("summary", "task", "architecture", "data", "licence")
    shortened: dict[str, Any] = {name: short(getattr(card, name)) for name in facts}
    return replace(
        card,
        **shortened,
        languages=tuple(map(short, card.languages[:MAX_FACTS])),
        metrics=tuple(
            Metric(short(metric.name), metric.value, short(metric.dataset))
            for metric in card.metrics[:MAX_FACTS]
        ),
        body=_link(CheckpointName.of(card.name).base),
        chapter=HUB_CHAPTER,
        lesson="",
    )


def _link(name: str) -> str:
    page = f"https://huggingface.co/{name}"
    return f"Its authors' card: [{page}]({page})"


def _metadata(folder: Path) -> Mapping[str, Any]:
    """The metadata of the repository's own card; nothing if it cannot be read."""
    try:
        result, _ = read_header(folder)
    except (OSError, ValueError):
        return {}
    return result if isinstance(result, Mapping) else {}


def _safe_text(value: object) -> str:
    return value if isinstance(value, str) and SAFE_WORD.fullmatch(value) else ""


def _languages(config: CheckpointConfig, variants: Variants, metadata: Mapping[str, Any]) -> list[str]:
    if config.source_language and config.target_language:
        return [config.source_language, config.target_language]
    if variants.targets:
        return [f"{len(variants.targets)} languages"]
    languages = metadata.get("language")
    result = [bcp47(_safe_text(item)) for item in (languages if isinstance(languages, list) else [languages])]
    return list(filter(None, result))[:MAX_FACTS]


def _summary(name: str, family: str, variants: Variants) -> str:
    network = f"{family} network from {name or 'files'}"
    if variants.targets:
        return f"{network}, between any two of {len(variants.targets)} languages."
    if any(prefix for _, prefix in variants.tasks):
        return f"{network}, which the beginning of its source tells what to do."
    return f"{network}."


def _task(config: CheckpointConfig, variants: Variants) -> str:
    return "translation" if variants.targets or config.target_language else config.task


def _sizes(settings: Mapping[str, Any]) -> str:
    """The numbers of layers and heads, under the library's various names."""

    def size(stack: str, *names: str) -> int | None:
        described = settings.get(stack)  # T5Gemma describes its encoder and its decoder separately
        of_half = {**settings, **(described if isinstance(described, Mapping) else {})}
        return next((value for name in names if isinstance(value := of_half.get(name), int)), None)

    encoder = size("encoder", "encoder_layers", "num_layers", "num_hidden_layers")
    decoder = size("decoder", "decoder_layers", "num_decoder_layers", "num_layers", "num_hidden_layers")
    heads = size("decoder", "decoder_attention_heads", "num_heads", "num_attention_heads")
    if None in (encoder, decoder, heads):
        return ""
    return f", {encoder} + {decoder} layers, {heads} heads"
