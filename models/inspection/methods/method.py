"""What a method of attribution is, and what it answers. Knows no torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from models.inspection.question import Inquiry

Scores: TypeAlias = "tuple[float, ...]"


@dataclass(frozen=True)
class Attribution:
    """What each token contributes to F."""

    source: Scores  # P: tokens, or cells of a picture
    prefix: Scores | None = None  # T, the start token first; None if the method says nothing of them
    gap: float | None = None  # nats that the scores should add up to and do not, if they should


@dataclass(frozen=True)
class Method:
    """One way to say what each token contributes."""

    name: str  # in the API and in links
    title: str  # what people call it
    position: int  # what the network itself says first, then what is computed of it
    paper: str
    signed: bool  # whether a token may speak against the answer
    attribute: Callable[[Inquiry], Attribution | None]  # None if it does not apply to the network
    gradients: bool = False  # whether it needs them
