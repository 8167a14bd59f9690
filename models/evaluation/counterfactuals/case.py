"""Small and capital letters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from models.evaluation.counterfactuals.counterfactual import Change, Counterfactual, edited
from models.evaluation.counterfactuals.words import words


def recased(text: str, _: Random, *, cased: Callable[[str], str]) -> Change | None:
    """None where no letter changes: scripts without capitals have none to change."""
    changed = ((word, cased(word.of(text))) for word in words(text))
    return edited(text, [(word.start, word.end, new) for word, new in changed if new != word.of(text)])


LOWER_CASE = Counterfactual(
    "lower-case",
    place=80,
    title="lower case",
    sentence="All letters are small.",
    keeps_meaning=True,
    change=partial(recased, cased=str.lower),
)
UPPER_CASE = Counterfactual(
    "upper-case",
    place=90,
    title="upper case",
    sentence="All letters are capitals.",
    keeps_meaning=True,
    change=partial(recased, cased=str.upper),
)
