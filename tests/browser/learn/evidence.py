"""Texts of the page that reveal the answer to a prediction, and numbers of a reveal that the page lacks."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from demo.learn.lessons.facts import LessonState
from demo.learn.lessons.lesson import LessonStep
from demo.learn.lessons.terms import BRACES, value_of, value_text
from tests.demo.learn.lessons.told_values import (
    digits,
    facts_of,
    numbers_in,
    right_option,
    says,
    shows_number,
    single_value,
    telling,
)

# Facts that count what the page shows as a text, which is the evidence for the count.
COUNTED = re.compile(r"(\w+_reads|mentions|length|words|outputs|source_words|source_length)\b")
ENOUGH_DIGITS = 2  # digits that a shortened number needs


def hints(step: LessonStep, state: LessonState, texts: Sequence[str]) -> list[str]:
    """Return the texts outside the veil that reveal the answer of a step."""
    assert step.prediction is not None
    texts_with_answer = [
        f"{term} = {value} in {text[:80]!r}"
        for term, value in telling(step, state).items()
        for text in texts
        if says(text, value)
    ]
    if (
        step.prediction.options_fact
    ):  # the options are tokens: the right one must not be the only one on the page
        options, right = right_option(step, state)
        present = [index for index, option in enumerate(options) if any(says(text, option) for text in texts)]
        texts_with_answer += (
            [f"of all options only {options[right]} is on the page"] if present == [right] else []
        )
    return texts_with_answer


def unseen(step: LessonStep, state: LessonState, texts: Sequence[str]) -> list[str]:
    """The terms of a reveal of which the texts show neither the value nor the facts behind it."""
    return [
        f"{{{term}}} = {value_of(term, state)}"
        for term, _ in BRACES.findall(step.reveal["en"])
        if not _is_shown(term, state, texts)
        and not all(_is_shown(fact, state, texts) for fact in _parts(term))
    ]


def _parts(term: str) -> list[str]:
    """The facts that a term is computed from; the term itself if it is a fact."""
    return [*facts_of(term)]


def _is_shown(term: str, state: LessonState, texts: Sequence[str]) -> bool:
    value = single_value(term, state)
    if value is None or isinstance(value, bool | str) or COUNTED.match(term):
        return True
    if not math.isfinite(value):
        return any(value_text(value) in text or "infinite" in text for text in texts)
    (_, decimals), *_ = numbers_in([value_text(value)])
    least = min(ENOUGH_DIGITS, digits(round(value, decimals), decimals))
    return shows_number(numbers_in(texts), value, least)
