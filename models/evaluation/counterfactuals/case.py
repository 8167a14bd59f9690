"""Small and capital letters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from models.evaluation.counterfactuals.counterfactual import Change, Counterfactual, edited_words


def recased(text: str, _: Random, *, cased: Callable[[str], str]) -> Change | None:
    """Change the case of all letters; None if that changes nothing, as in scripts without capitals."""
    return edited_words(text, cased)


LOWER_CASE = Counterfactual(
    "lower-case",
    position=80,
    title="lower case",
    sentence="All letters are small.",
    keeps_meaning=True,
    change=partial(recased, cased=str.lower),
)
UPPER_CASE = Counterfactual(
    "upper-case",
    position=90,
    title="upper case",
    sentence="All letters are capitals.",
    keeps_meaning=True,
    change=partial(recased, cased=str.upper),
)
