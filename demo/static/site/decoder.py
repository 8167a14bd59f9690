"""The names in the tables of the browser's decoder. The folder leaves out what these tables lack."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from demo.widgets.view.assets import WITHOUT_SERVER
from models.decoding.options import settings
from models.decoding.strategies import forget, names, register, strategy_class

DECODER = WITHOUT_SERVER / "models"
# The file and the start of each table; its names stand before colons.
STRATEGIES = ("strategies/table.js", "const STRATEGIES = {")
SETTINGS = ("strategies/table.js", "@typedef {{")
NETWORKS = ("networks/network.js", "const NETWORKS = {")
CELLS = ("networks/cells.js", "const CELLS = {")


@cache
def decoder_names(table: tuple[str, str]) -> frozenset[str]:
    """The names in a table of the decoder."""
    file, start = table
    rest = (DECODER / file).read_text(encoding="utf-8").split(start, 1)[1]
    return frozenset(re.findall(r"(\w+):", rest.split("}", 1)[0]))


def absent_settings() -> frozenset[str]:
    """The settings of a decoding that the decoder would not obey."""
    return frozenset(settings().keys() - decoder_names(SETTINGS))


def can_run(network: Mapping[str, Any]) -> bool:
    """Whether the decoder has the architecture and the cell of a checkpoint's configuration."""
    has_cell = network.get("cell") in {None, *decoder_names(CELLS)}
    return has_cell and network["architecture"] in decoder_names(NETWORKS)


@contextmanager
def with_its_strategies() -> Iterator[None]:
    """Forget, for as long as the block lasts, the strategies that the decoder lacks."""
    absent = [strategy_class(name) for name in names() if name not in decoder_names(STRATEGIES)]
    for strategy in absent:
        forget(strategy.name)
    try:
        yield
    finally:
        for strategy in absent:
            register(strategy)
