"""Results of systems without decoding."""

from __future__ import annotations

from collections.abc import Sequence

from models.evaluation.segments import Segments, segments_of_pairs
from models.evaluation.systems import SystemResult

PAIRS = (
    ("el gato duerme", "the cat sleeps"),
    ("el perro come pan", "the dog eats bread"),
    ("uno", "one"),
    ("hola", "hello there"),
)
OUTPUTS = ("the cat sleeps", "a dog eats bread", "two", "hello")


def result(
    outputs: Sequence[str] = OUTPUTS, name: str = "ours", segments: Segments | None = None
) -> SystemResult:
    """Outputs made elsewhere, for PAIRS."""
    return SystemResult(name, tuple(outputs), segments or segments_of_pairs(PAIRS), "en")
