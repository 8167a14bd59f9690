"""Recurrent cells, one file each: whatever file of this folder describes a cell is offered everywhere."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from models.networks.cells.cell import Cell


def _found() -> dict[str, Cell]:
    """By name, the oldest first."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    cells = [value for module in modules for value in vars(module).values() if isinstance(value, Cell)]
    return {cell.name: cell for cell in sorted(cells, key=lambda cell: (cell.year, cell.name))}


CELLS = _found()
