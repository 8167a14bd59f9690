"""Small and capital letters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from models.evaluation.counterfactuals.counterfactual import Change, Counterfactual, edit_words


def change_case(text: str, _: Random, *, convert: Callable[[str], str]) -> Change | None:
    """Change the case of all letters; None if that changes nothing, as in scripts without capitals."""
    return edit_words(text, convert)


LOWER_CASE = Counterfactual(
    "lower-case",
    position=80,
    title="lower case",
    sentence="All letters are small.",
    keeps_meaning=True,
    change=partial(change_case, convert=str.lower),
)
UPPER_CASE = Counterfactual(
    "upper-case",
    position=90,
    title="upper case",
    sentence="All letters are capitals.",
    keeps_meaning=True,
    change=partial(change_case, convert=str.upper),
)
