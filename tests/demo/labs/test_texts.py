"""The texts of labs for any settings: numbers that can be read, and words that fit them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import pytest

from demo.labs import labs
from demo.widgets.answers.content import Content, NotHereError
from tests.demo.labs.cases import Case, ends, every_setting, shipped
from tests.demo.labs.trained import answer_of

NAMES = [lab.name for lab in labs()]
TRAINING = [lab.name for lab in labs() if lab.training is not None]
FLAWS = {
    "no number": re.compile(r"\b(?:nan|NaN|inf|Infinity|None)\b"),
    "an exponent": re.compile(r"\d[eE][+-]?\d"),
    # One of several: “1 words”.
    "a plural": re.compile(r"(?<![\d.,:−-])\b1 (?!(?:is|was|has|as|its|this|less)\b)[a-z]+s\b"),
}
ROOM = 1.3  # times the extreme values, up to which an axis reaches


def texts(content: Content) -> Iterator[str]:
    """All texts of an answer that a reader sees."""
    yield from content.sentences
    for row in content.table.rows if content.table else ():
        yield from (cell for cell in row if isinstance(cell, str))
    for chart in content.charts:
        yield chart.title
        drawn = chart.figure.to_plotly_json()
        for trace in drawn["data"]:
            yield str(trace.get("name", ""))
            yield from (str(text) for text in (trace.get("text") or ()))
        for axis in axes(drawn["layout"]):
            yield str((axis.get("title") or {}).get("text", ""))
            yield from map(str, axis.get("ticktext", ()))


def axes(layout: dict[str, Any]) -> list[dict[str, Any]]:
    return [axis for name, axis in layout.items() if name.startswith(("xaxis", "yaxis"))]


def numbers_without(content: Content) -> Iterator[str]:
    """The charts with an axis of powers that has no number within its data."""
    for chart in content.charts:
        drawn = chart.figure.to_plotly_json()
        axis = drawn["layout"]["yaxis"]
        if axis.get("type") == "log":
            values = [
                y for trace in drawn["data"] for y in trace["y"] if isinstance(y, int | float) and y > 0
            ]
            values += [shape["y0"] for shape in drawn["layout"].get("shapes", ())]
            if not values:
                continue
            low, high = min(values) / ROOM, max(values) * ROOM
            if "range" in axis:
                low, high = (10.0**end for end in axis["range"])
            ticks = axis.get("tickvals") or [10.0**power for power in range(-30, 31, axis["dtick"])]
            if sum(low <= tick <= high for tick in ticks) < 2:
                yield chart.name


def check(case: Case) -> None:
    try:
        content, _ = answer_of(case.lab, case.options, case.steps, shipped())
    except NotHereError:
        return
    for text in texts(content):
        for flaw, pattern in FLAWS.items():
            assert not pattern.search(text), f"{case}: {flaw} in {text!r}"
    numbers = [value for value in content.facts.values() if isinstance(value, float)]
    assert not any(map(math.isnan, numbers)), case
    assert [*numbers_without(content)] == [], case


@pytest.mark.parametrize(
    ("text", "flaw"), [("1 words", "a plural"), ("error nan", "no number"), ("2.6e+02", "an exponent")]
)
def test_the_checks_of_texts_find_planted_flaws(text: str, flaw: str) -> None:
    assert FLAWS[flaw].search(text)
    for right in ("1 word of 3 tokens", "21 words", "k = 1 is", "1.0 words", "in finite time"):
        assert not any(pattern.search(right) for pattern in FLAWS.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_numbers_at_their_ends_can_be_read(name: str) -> None:
    for case in (Case(name, {}), *ends(name)):
        check(case)


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_every_setting_can_be_read(name: str) -> None:
    for steps in (0, 1, 2, 6) if name in TRAINING else (0,):
        for case in every_setting(name, steps):
            check(case)
