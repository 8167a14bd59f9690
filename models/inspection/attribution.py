"""The same question put to several methods."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from models.budget import rest
from models.inspection.methods import METHODS
from models.inspection.methods.method import Attribution
from models.inspection.question import Inquiry, InspectionError, Question
from models.networks.base import Seq2SeqModel
from models.networks.packed import has_gradients

__all__ = ["Attribution", "InspectionError", "Question", "attribute", "attribute_each"]


def attribute(
    model: Seq2SeqModel, question: Question, methods: Iterable[str] | None = None
) -> tuple[float, dict[str, Attribution]]:
    """F, and what each token contributes to it by each method that applies to the network, by its name.

    methods: names of METHODS, all of them unless given. Leaves nothing on the network, which may decode for
    others meanwhile. Raises InspectionError.
    """
    inquiry = Inquiry(model, question)
    names = METHODS if methods is None else tuple(methods)
    chosen = [METHODS[name] for name in names if has_gradients(model) or not METHODS[name].gradients]
    result = {method.name: method.attribute(inquiry) for method in chosen}
    return inquiry.value, {name: item for name, item in result.items() if item is not None}


def attribute_each(
    model: Seq2SeqModel, questions: Iterable[Question], methods: Iterable[str] | None = None
) -> Iterator[tuple[float, dict[str, Attribution]]]:
    """`attribute` of many questions, an answer at a time: of a whole test set too, whatever its lengths.

    The copies of a question that a method asks the network about are one batch already; between two
    questions others go on. Raises InspectionError.
    """
    names = None if methods is None else tuple(methods)
    for question in questions:
        yield attribute(model, question, names)
        rest()
