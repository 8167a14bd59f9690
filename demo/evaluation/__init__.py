"""Parts of an evaluation, one file each: whatever file here holds a `PART` is offered everywhere."""

from __future__ import annotations

from functools import cache

from demo.evaluation.part import EvaluationPart
from models.discovery import discover


@cache
def evaluation_parts() -> tuple[EvaluationPart, ...]:
    """Return all of them by position."""
    return tuple(sorted(discover(__name__, EvaluationPart), key=lambda part: part.place))
