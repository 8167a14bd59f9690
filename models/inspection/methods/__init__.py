"""Methods of attribution: the app offers every `Method` that a file of this folder holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from models.discovery import discover
from models.inspection.question import ExplainedPrediction, Question
from models.networks.base import Seq2SeqModel
from models.networks.packed import has_gradients

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


METHODS = {
    method.name: method for method in sorted(discover(__name__, Method), key=lambda method: method.position)
}


def attribute(
    model: Seq2SeqModel, question: Question, methods: Iterable[str] | None = None
) -> tuple[float, dict[str, Attribution]]:
    """Return the explained value, and the contribution of each token by the name of each method that applies.

    methods: names of METHODS; None = all. The network is not changed. Raises InspectionError.
    """
    prediction = ExplainedPrediction(model, question)
    names = METHODS if methods is None else tuple(methods)
    applicable = [METHODS[name] for name in names if has_gradients(model) or not METHODS[name].gradients]
    attributions = {method.name: method.attribute(prediction) for method in applicable}
    return prediction.value, {
        name: attribution for name, attribution in attributions.items() if attribution is not None
    }
