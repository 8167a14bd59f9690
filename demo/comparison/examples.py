"""Texts worth comparing, with a translation by a person and a second text that differs in one thing."""

from __future__ import annotations

from dataclasses import dataclass

from models.registry.checkpoint import CheckpointConfig

MOST = 4


@dataclass(frozen=True)
class ComparisonExample:
    """What one click fills in."""

    text: str
    reference: str  # empty if there is none
    other: str  # the second half of a minimal pair


# By source and target language, or by task where there is none.
KNOWN: dict[tuple[str, str], tuple[ComparisonExample, ...]] = {
    ("es", "en"): (
        ComparisonExample(
            "Ayer encontré una biblioteca antigua en el pueblo.",
            "Yesterday I found an old library in the village.",
            "Ayer encontré una estación antigua en el pueblo.",
        ),
        ComparisonExample("Él es médico.", "He is a doctor.", "Ella es médica."),
        ComparisonExample("¿Dónde está la biblioteca?", "Where is the library?", "¿Dónde está la estación?"),
    ),
    ("reversal", ""): (
        ComparisonExample("unrolled", "dellornu", "unrolls"),
        ComparisonExample("level", "level", "lever"),
    ),
}


def comparison_examples(config: CheckpointConfig) -> tuple[ComparisonExample, ...]:
    """What to offer for a checkpoint; its own examples, without references, where nothing better is known."""
    languages = (config.source_language, config.target_language)
    known = KNOWN.get(languages if all(languages) else (config.task, ""))
    if known:
        return known
    texts = config.examples[:MOST]
    return tuple(ComparisonExample(text, "", texts[(at + 1) % len(texts)]) for at, text in enumerate(texts))
