"""Which members of a grid `make test` tries. The others carry the mark `full`, for `make test-all`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pytest


def rest(values: Iterable[Any]) -> list[Any]:
    """Parameters that carry the mark `full`; a tuple that is one argument needs a tuple around it."""
    return [
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.full)
        for value in values
    ]


def named(members: Mapping[str, Any], sample: Collection[str]) -> list[Any]:
    """Parameters with the mapping's keys as ids; those outside the sample carry the mark `full`.

    Raises ValueError for a sample that names no member.
    """
    if unknown := {*sample} - members.keys():
        raise ValueError(f"not in the grid: {sorted(unknown)}")
    return [
        pytest.param(value, id=name, marks=() if name in sample else pytest.mark.full)
        for name, value in members.items()
    ]


def thinned(values: Iterable[Any], every: int) -> list[Any]:
    """Each `every`-th value as it is, beginning with the first, and the others with the mark `full`."""
    return [value if at % every == 0 else rest([value])[0] for at, value in enumerate(values)]
