"""Parts of an evaluation: the app offers every `PART` that a file of this folder holds."""

from __future__ import annotations

from functools import cache

from demo.evaluate.parts.part import EvaluationPart
from models.discovery import discover


@cache
def evaluation_parts() -> tuple[EvaluationPart, ...]:
    """All parts, in the order of `position`."""
    return tuple(sorted(discover(__name__, EvaluationPart), key=lambda part: part.position))
