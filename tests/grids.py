"""Samples of grids of parameters, which `make test` tries; the marks `full` and `release` are on the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pytest


def full_only(values: Iterable[Any]) -> list[Any]:
    """Mark all values with `full`. Wrap a tuple that is a single argument in another tuple."""
    return _marked(values, pytest.mark.full)


def release_only(values: Iterable[Any]) -> list[Any]:
    """Mark all values with `release`, like `full_only`."""
    return _marked(values, pytest.mark.release)


def named(members: Mapping[str, Any], sample: Collection[str]) -> list[Any]:
    """Use the mapping's keys as ids, and mark members outside the sample with `full`.

    Raises ValueError if the sample names an unknown member.
    """
    if unknown := {*sample} - members.keys():
        raise ValueError(f"not in the grid: {sorted(unknown)}")
    return [
        pytest.param(value, id=name, marks=() if name in sample else pytest.mark.full)
        for name, value in members.items()
    ]


def thinned(values: Iterable[Any], every: int) -> list[Any]:
    """Keep every `every`-th value, beginning with the first, and mark the others with `full`."""
    return [value if index % every == 0 else full_only([value])[0] for index, value in enumerate(values)]


def _marked(values: Iterable[Any], mark: pytest.MarkDecorator) -> list[Any]:
    return [pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=mark) for value in values]
