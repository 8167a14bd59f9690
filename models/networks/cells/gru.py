"""The gated recurrent unit (Cho et al. 2014), the reset gate after the product as in cuDNN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.networks.cells.cell import Cell, Hidden

if TYPE_CHECKING:
    from torch import Tensor


def step(inputs: Tensor, recurrent: Tensor, before: Hidden) -> Hidden:
    """The next state of a GRU; shapes as in `Cell.step`."""
    width = before[0].shape[1]
    gates = (inputs[:, : 2 * width] + recurrent[:, : 2 * width]).sigmoid()
    proposed = inputs[:, 2 * width :].addcmul(gates[:, :width], recurrent[:, 2 * width :]).tanh()
    return (proposed.lerp(before[0], gates[:, width:]),)


def gate_values(inputs: Tensor, recurrent: Tensor, before: Hidden) -> tuple[Tensor, ...]:
    """The reset gate lets the old state into the new one; the update gate keeps the old one."""
    width = 2 * before[0].shape[1]
    return (inputs[:, :width] + recurrent[:, :width]).sigmoid().chunk(2, dim=1)


GRU = Cell(
    "gru",
    "GRU",
    2014,
    gates=3,
    step=step,
    fused="GRU",
    gate_names=("reset gate", "update gate"),
    gate_values=gate_values,
    keeps=("update gate", "h"),
)
