"""Recurrent cells: the app offers every `Cell` that a file of this folder holds."""

from __future__ import annotations

from models.discovery import discover
from models.networks.cells.cell import Cell

CELLS = {
    cell.name: cell for cell in sorted(discover(__name__, Cell), key=lambda cell: (cell.year, cell.name))
}
