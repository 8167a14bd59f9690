"""The simple recurrent network (Elman 1990)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.networks.cells.cell import Cell, Hidden

if TYPE_CHECKING:
    from torch import Tensor


def step(inputs: Tensor, recurrent: Tensor, before: Hidden) -> Hidden:
    """The next state of an Elman network; shapes as in `Cell.step`."""
    return ((inputs + recurrent).tanh(),)


RNN = Cell("rnn", "Elman RNN", 1990, gates=1, step=step, fused="RNN")
