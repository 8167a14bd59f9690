"""The search for patterns, against one that looks at every range and every unit by itself."""

from __future__ import annotations

import numpy as np
import pytest

from models.inspection.units.patterns import Match, matching_ranges, pattern


def steps(*rows: str) -> np.ndarray:
    """A column for each unit, a row for each step; "x" is on."""
    return np.array([[1.0 if sign == "x" else -1.0 for sign in row] for row in rows])


TEXT = steps(
    "..x.",
    "x.x.",
    "xxx.",
    "..x.",
    "x..x",
    "x..x",
)


def test_a_unit_of_a_pattern_is_off_directly_before_and_after() -> None:
    assert pattern(TEXT, 1, 2, 0.0).units == (0,)  # the third is on before, the second not all the time
    assert pattern(TEXT, 2, 2, 0.0).units == (1,)
    assert pattern(TEXT, 4, 5, 0.0).units == (0, 3)  # no unit is on behind the end of the text
    assert pattern(TEXT, 0, 3, 0.0).units == (2,)
    assert pattern(TEXT, 3, 3, 0.0).units == ()


@pytest.mark.parametrize(("first", "last"), [(-1, 2), (2, 1), (0, 6), (6, 6)])
def test_a_range_lies_in_the_text(first: int, last: int) -> None:
    with pytest.raises(ValueError, match=r"range.*5"):
        pattern(TEXT, first, last, 0.0)


def test_other_places_are_found_in_order_of_similarity() -> None:
    sought = pattern(TEXT, 4, 5, 0.0)
    result = matching_ranges(sought, [TEXT, steps("x..x", "....", "x...", "x..."), steps("....", "....")])
    assert result[0] == Match(0, 4, 5, (0, 3), 0)  # itself
    assert result[1] == Match(1, 0, 0, (0, 3), 0)
    assert result[2:] == [Match(0, 1, 2, (0,), 0), Match(1, 2, 3, (0,), 0)]


def test_units_that_are_on_besides_count_against_a_place() -> None:
    sought = pattern(steps("x..", "...", "..."), 0, 0, 0.0)
    result = matching_ranges(sought, [steps("xxx", "..."), steps("...", "x.."), steps("xx.", "...")])
    assert [(index.text, index.other_units) for index in result] == [(1, 0), (2, 1), (0, 2)]


def test_the_search_equals_brute_force() -> None:
    random = np.random.default_rng(3)
    texts = [random.normal(size=(length, 80)) for length in (9, 4, 1, 7)]
    sought = pattern(texts[0], 3, 4, 0.2)
    assert sought.units
    every: dict[tuple[int, int, int], tuple[int, ...]] = {}
    for text, values in enumerate(texts):
        on = values > 0.2
        for first in range(len(on)):
            for last in range(first, min(first + 4, len(on))):
                units = tuple(
                    unit
                    for unit in sought.units
                    if all(on[first : last + 1, unit])
                    and not (first > 0 and on[first - 1, unit])
                    and not (last + 1 < len(on) and on[last + 1, unit])
                )
                if units:
                    every[text, first, last] = units
    result = matching_ranges(sought, texts)
    assert result
    for position in result:
        assert every[position.text, position.first, position.last] == position.shared
    best = max(map(len, every.values()))
    assert len(result[0].shared) == best
    # None is left out but for one that it overlaps.
    for text, first, last in every:
        assert any(index.text == text and index.first <= last and first <= index.last for index in result)


def test_two_places_of_a_text_do_not_overlap() -> None:
    random = np.random.default_rng(2)
    texts = [random.normal(size=(30, 8)) for _ in range(3)]
    result = matching_ranges(pattern(texts[0], 5, 6, -0.3), texts)
    for text in range(3):
        covered = [step for p in result if p.text == text for step in range(p.first, p.last + 1)]
        assert len(covered) == len(set(covered))


def test_an_empty_pattern_has_no_places() -> None:
    nothing = pattern(TEXT, 3, 3, 0.0)
    assert matching_ranges(nothing, [TEXT]) == []
    assert matching_ranges(pattern(TEXT, 4, 5, 0.0), []) == []
