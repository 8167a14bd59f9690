"""What is remembered is what was used last."""

from __future__ import annotations

import pytest

from models.inspection.recent import Recent


def test_those_used_last_are_remembered() -> None:
    recent: Recent[str] = Recent(2)
    made: list[str] = []

    def get(key: str) -> str:
        return recent.get(key, lambda: made.append(key) or key.upper())

    assert [get(key) for key in "abacab"] == list("ABACAB")
    assert made == ["a", "b", "c", "b"]
    assert len(recent) == 2


def test_what_fails_is_tried_again() -> None:
    recent: Recent[int] = Recent(2)
    with pytest.raises(ZeroDivisionError):
        recent.get("a", lambda: 1 // 0)
    assert recent.get("a", lambda: 1) == 1
