"""The description of a method of attribution, and its result. Imports no torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from models.inspection.question import ExplainedPrediction

Scores: TypeAlias = "tuple[float, ...]"


@dataclass(frozen=True)
class Attribution:
    """The contribution of each token to the explained value."""

    source: Scores  # P: tokens, or cells of a picture
    prefix: Scores | None = None  # T, the start token first; None if the method does not cover the prefix
    gap: float | None = None  # nats that the sum of the scores lacks; None if they need not add up


@dataclass(frozen=True)
class Method:
    """A way to compute the contribution of each token."""

    name: str  # its name in the API and in links
    title: str  # its title for people
    position: int  # lists show the network's own attention first, then computed scores
    paper: str
    attribute: Callable[[ExplainedPrediction], Attribution | None]  # None if it does not apply to the network
    signed: bool = True  # whether a token can count against the prediction
    gradients: bool = False  # whether it needs gradients
