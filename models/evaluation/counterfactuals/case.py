"""Small and capital letters. In scripts without capitals nothing changes."""

from __future__ import annotations

from models.evaluation.counterfactuals.counterfactual import Counterfactual, edit_words

LOWER_CASE = Counterfactual(
    "lower-case",
    position=80,
    title="lower case",
    sentence="All letters are small.",
    change=lambda text, _: edit_words(text, str.lower),
)
UPPER_CASE = Counterfactual(
    "upper-case",
    position=90,
    title="upper case",
    sentence="All letters are capitals.",
    change=lambda text, _: edit_words(text, str.upper),
)
