"""Positions in the lists of the page are unique, since equal ones would be in random order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from demo.evaluate.parts import evaluation_parts
from demo.inspect import inspect_views
from demo.labs import labs
from models.decoding.strategies import description_of, names
from models.inspection.methods import METHODS

LISTS: dict[str, Callable[[], Sequence[Any]]] = {
    "labs": labs,
    "parts of an evaluation": evaluation_parts,
    "views of Inspect": inspect_views,
    "methods of Why": lambda: list(METHODS.values()),
    "strategies": lambda: [description_of(name) for name in names()],
    "presets": lambda: [preset for name in names() for preset in description_of(name).presets],
}


@pytest.mark.parametrize("members", LISTS.values(), ids=LISTS)
def test_positions_are_unique(members: Callable[[], Sequence[Any]]) -> None:
    places = Counter(item.position for item in members())
    assert len(places) > 1
    assert [position for position, count in places.items() if count > 1] == []
