"""A visitor has one comparison at a time."""

from __future__ import annotations

from collections.abc import Generator

from demo.compare.work.from_request import latest_only
from demo.work.operator.caps import MAX_STOPPABLE
from demo.work.running import RunningDecodings

NOTHING = -1


def counted(closed: list[str], name: str = "one") -> Generator[int, None, None]:
    try:
        yield from range(3)
    finally:
        closed.append(name)


def test_a_newer_comparison_ends_the_previous_one() -> None:
    running = RunningDecodings()
    closed: list[str] = []
    before = latest_only(running, "ana", counted(closed), NOTHING)
    assert next(before) == 0
    after = latest_only(running, "ana", counted(closed, "two"), NOTHING)
    assert next(after) == 0
    assert list(before) == [NOTHING]
    assert closed == ["one"]
    assert list(after) == [1, 2]
    assert len(running) == 0


def test_a_newer_comparison_that_finishes_first_still_ends_the_older_one() -> None:
    running = RunningDecodings()
    closed: list[str] = []
    before = latest_only(running, "ana", counted(closed), NOTHING)
    next(before)
    assert list(latest_only(running, "ana", counted([]), NOTHING)) == [0, 1, 2]
    assert list(before) == [NOTHING]
    assert closed == ["one"]


def test_a_visitor_cannot_end_the_comparison_of_another() -> None:
    running = RunningDecodings()
    closed: list[str] = []
    anas, bens = (
        latest_only(running, "ana", counted(closed), NOTHING),
        latest_only(running, "ben", counted(closed), NOTHING),
    )
    assert [next(anas), next(bens), *anas, *bens] == [0, 0, 1, 2, 1, 2]


def test_a_page_that_closes_ends_its_comparison() -> None:
    running = RunningDecodings()
    closed: list[str] = []
    begun = latest_only(running, "ana", counted(closed), NOTHING)
    next(begun)
    begun.close()
    assert closed == ["one"]
    assert len(running) == 0


def test_the_oldest_comparisons_are_forgotten_and_still_end() -> None:
    running = RunningDecodings()
    many = [latest_only(running, str(index), counted([]), NOTHING) for index in range(MAX_STOPPABLE + 1)]
    assert [next(item) for item in many] == [0] * len(many)
    assert len(running) == MAX_STOPPABLE
    assert [list(item) for item in many] == [[1, 2]] * len(many)
