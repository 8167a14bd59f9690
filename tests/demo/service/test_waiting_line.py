"""A waiting line: who runs, who waits where, and who finds it full."""

from __future__ import annotations

from demo.requests.checks import RequestError
from demo.service.waiting_line import WaitingLine
from tests.refusals import refused


def line_of(names: str, running: int = 2) -> WaitingLine[str]:
    line = WaitingLine[str](running, len(names), "{count} wait already.")
    for name in names:
        line.enter(name)
    return line


def test_those_begin_who_came_first() -> None:
    line = line_of("abcd")
    assert line.begin() == ["a", "b"]
    assert line.begin() == []
    line.leave("a")
    assert line.begin() == ["c"]


def test_who_waits_has_a_place_until_they_begin() -> None:
    line = line_of("abcd")
    assert [line.place(name) for name in "abcd"] == [1, 2, 3, 4]
    line.begin()
    assert [line.place(name) for name in "abcd"] == [0, 0, 1, 2]


def test_who_leaves_lets_the_others_move_up() -> None:
    line = line_of("abcde")
    line.begin()
    for name in "db":  # one that waits, one that runs
        line.leave(name)
    assert list(line) == ["a", "c", "e"]
    assert [line.place(name) for name in "bde"] == [0, 0, 2]


def test_all_stand_in_the_order_of_coming_and_may_leave_meanwhile() -> None:
    line = line_of("abc", running=1)
    line.begin()
    seen = []
    for name in line:
        seen.append(name)
        line.leave(name)
    assert seen == ["a", "b", "c"]
    assert list(line) == []


def test_only_those_who_wait_make_it_full() -> None:
    line = line_of("ab", running=1)
    with refused(RequestError, "waiting_line_full", 2):
        line.enter("c")
    line.begin()
    line.enter("c")
    assert list(line) == ["a", "b", "c"]
