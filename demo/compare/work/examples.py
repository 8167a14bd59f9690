"""Example texts for comparisons, with a human translation and a second text of a minimal pair."""

from __future__ import annotations

from dataclasses import dataclass

from models.registry.checkpoint import CheckpointConfig

MAX_EXAMPLES = 4


@dataclass(frozen=True)
class ComparisonExample:
    """The texts that one click fills in."""

    text: str
    reference: str  # empty if there is none
    other: str  # the second half of a minimal pair


# Keys: source and target language, or the task without languages.
EXAMPLES: dict[tuple[str, str], tuple[ComparisonExample, ...]] = {
    ("es", "en"): (
        ComparisonExample(
            "Hay una biblioteca antigua en el pueblo de mi madre.",
            "There is an old library in my mother's village.",
            "Hay una estación antigua en el pueblo de mi madre.",
        ),
        ComparisonExample("Él es médico.", "He is a doctor.", "Ella es médica."),
        ComparisonExample("¿Dónde está la biblioteca?", "Where is the library?", "¿Dónde está la estación?"),
    ),
    ("en", "es"): (
        ComparisonExample(
            "Yesterday I found an old library in the village.",
            "Ayer encontré una biblioteca antigua en el pueblo.",
            "Yesterday I found an old station in the village.",
        ),
        ComparisonExample("She is a doctor.", "Ella es médica.", "He is a doctor."),
        ComparisonExample("I have lost my keys.", "He perdido mis llaves.", "I have found my keys."),
    ),
    ("en", "zh"): (
        ComparisonExample("I would like a cup of tea.", "我想要一杯茶。", "I would like a cup of coffee."),
        ComparisonExample("He is my older brother.", "他是我哥哥。", "She is my older sister."),
        ComparisonExample("It is raining outside.", "外面在下雨。", "It is snowing outside."),
    ),
    ("en", "ja"): (
        ComparisonExample("martina", "マルティナ", "martin"),
        ComparisonExample("schneider", "シュナイダー", "snyder"),
    ),
    ("reversal", ""): (
        ComparisonExample("unrolled", "dellornu", "unrolls"),
        ComparisonExample("level", "level", "lever"),
    ),
}


def comparison_examples(config: CheckpointConfig) -> tuple[ComparisonExample, ...]:
    """The examples for a checkpoint; without any for its languages, its own texts without references."""
    languages = (config.source_language, config.target_language)
    examples = EXAMPLES.get(languages if all(languages) else (config.task, ""))
    if examples:
        return examples
    texts = config.examples[:MAX_EXAMPLES]
    return tuple(
        ComparisonExample(text, "", texts[(index + 1) % len(texts)]) for index, text in enumerate(texts)
    )
