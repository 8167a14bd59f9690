"""Long short-term memory (Hochreiter and Schmidhuber 1997), with the forget gate of Gers et al. 2000."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.networks.cells.cell import Cell, Hidden

if TYPE_CHECKING:
    from torch import Tensor


def step(inputs: Tensor, recurrent: Tensor, before: Hidden) -> Hidden:
    """The next h and c of an LSTM; shapes as in `Cell.step`."""
    ins, forget, cell, out = (inputs + recurrent).chunk(4, dim=1)
    c = (forget.sigmoid() * before[1]).addcmul(ins.sigmoid(), cell.tanh())
    return out.sigmoid() * c.tanh(), c


def gate_values(inputs: Tensor, recurrent: Tensor, before: Hidden) -> tuple[Tensor, ...]:
    """The forget gate keeps the old c, the input gate adds the new one, the output gate passes it on as h."""
    ins, forget, _, out = (inputs + recurrent).chunk(4, dim=1)
    return forget.sigmoid(), ins.sigmoid(), out.sigmoid()


LSTM = Cell(
    "lstm",
    "LSTM",
    1997,
    gates=4,
    step=step,
    states=2,
    fused="LSTM",
    gate_names=("forget gate", "input gate", "output gate"),
    gate_values=gate_values,
    keeps=("forget gate", "c"),
)
