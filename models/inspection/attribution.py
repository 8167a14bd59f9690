"""Attribution of a prediction to tokens by several methods."""

from __future__ import annotations

from collections.abc import Iterable

from models.inspection.methods import METHODS
from models.inspection.methods.method import Attribution
from models.inspection.question import ExplainedPrediction, InspectionError, Question
from models.networks.base import Seq2SeqModel
from models.networks.packed import has_gradients

__all__ = ["Attribution", "InspectionError", "Question", "attribute"]


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
