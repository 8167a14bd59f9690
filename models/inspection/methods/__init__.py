"""Methods of attribution: the app offers every `Method` that a file of this folder holds."""

from __future__ import annotations

from collections.abc import Iterable

from models.discovery import discover
from models.inspection.methods.method import Attribution, Method
from models.inspection.question import ExplainedPrediction, Question
from models.networks.base import Seq2SeqModel
from models.networks.packed import has_gradients

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
