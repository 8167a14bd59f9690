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
def test_a_range_outside_the_text_is_refused(first: int, last: int) -> None:
    with pytest.raises(ValueError, match=r"range.*5"):
        pattern(TEXT, first, last, 0.0)


def test_other_places_are_found_in_order_of_similarity() -> None:
    target = pattern(TEXT, 4, 5, 0.0)
    result = matching_ranges(target, [TEXT, steps("x..x", "....", "x...", "x..."), steps("....", "....")])
    assert result[0] == Match(0, 4, 5, (0, 3), 0)  # itself
    assert result[1] == Match(1, 0, 0, (0, 3), 0)
    assert result[2:] == [Match(0, 1, 2, (0,), 0), Match(1, 2, 3, (0,), 0)]


def test_further_units_that_are_on_count_against_a_place() -> None:
    target = pattern(steps("x..", "...", "..."), 0, 0, 0.0)
    result = matching_ranges(target, [steps("xxx", "..."), steps("...", "x.."), steps("xx.", "...")])
    assert [(match.text, match.other_units) for match in result] == [(1, 0), (2, 1), (0, 2)]


def test_the_search_equals_brute_force() -> None:
    random = np.random.default_rng(3)
    texts = [random.normal(size=(length, 80)) for length in (9, 4, 1, 7)]
    target = pattern(texts[0], 3, 4, 0.2)
    assert target.units
    every: dict[tuple[int, int, int], tuple[int, ...]] = {}
    for text, values in enumerate(texts):
        on = values > 0.2
        for first in range(len(on)):
            for last in range(first, min(first + 4, len(on))):
                units = tuple(
                    unit
                    for unit in target.units
                    if all(on[first : last + 1, unit])
                    and not (first > 0 and on[first - 1, unit])
                    and not (last + 1 < len(on) and on[last + 1, unit])
                )
                if units:
                    every[text, first, last] = units
    result = matching_ranges(target, texts)
    assert result
    for match in result:
        assert every[match.text, match.first, match.last] == match.shared
    best = max(map(len, every.values()))
    assert len(result[0].shared) == best
    # A range is left out only if it overlaps a match.
    for text, first, last in every:
        assert any(match.text == text and match.first <= last and first <= match.last for match in result)


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
