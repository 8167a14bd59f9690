"""The work of a task in operations, a number that does not depend on the machine or its load."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

# Methods of C that read all of a list or a text, such as `count` and `split`. A few others read less.
_WALKED = (list, str, bytes)


def calls(task: Callable[[], object]) -> int:
    """Count the calls of Python and C functions that a task makes in this thread."""
    return _counted(task, lambda function: 1)


def operations(task: Callable[[], object]) -> int:
    """Count the calls, and for each method of a list or a text the items that it may have to read."""
    return _counted(task, _items)


def _items(function: Any) -> int:
    owner = getattr(function, "__self__", None)
    return 1 + len(owner) if isinstance(owner, _WALKED) and function.__name__ not in _SHORT else 1


_SHORT = {"append", "startswith", "pop", "__contains__"}


def _counted(task: Callable[[], object], weight: Callable[[Any], int]) -> int:
    count = 0

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        if event in {"call", "c_call"}:
            count += weight(argument) if event == "c_call" else 1

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        task()
    finally:
        sys.setprofile(before)
    return count
