"""The cells of Elman (1990), Hochreiter and Schmidhuber (1997), and Cho et al. (2014)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.networks.cells.cell import Cell, Hidden

if TYPE_CHECKING:
    from torch import Tensor


def _rnn_step(inputs: Tensor, recurrent: Tensor, before: Hidden) -> Hidden:
    """The next state of an Elman network; shapes as in `Cell.step`."""
    return ((inputs + recurrent).tanh(),)


def _lstm_step(inputs: Tensor, recurrent: Tensor, before: Hidden) -> Hidden:
    """The next h and c of an LSTM, with the forget gate of Gers et al. 2000."""
    ins, forget, cell, out = (inputs + recurrent).chunk(4, dim=1)
    c = (forget.sigmoid() * before[1]).addcmul(ins.sigmoid(), cell.tanh())
    return out.sigmoid() * c.tanh(), c


def _lstm_gates(inputs: Tensor, recurrent: Tensor, before: Hidden) -> tuple[Tensor, ...]:
    """The forget gate keeps the old c, the input gate adds the new one, the output gate passes it on as h."""
    ins, forget, _, out = (inputs + recurrent).chunk(4, dim=1)
    return forget.sigmoid(), ins.sigmoid(), out.sigmoid()


def _gru_step(inputs: Tensor, recurrent: Tensor, before: Hidden) -> Hidden:
    """The next state of a GRU, the reset gate after the product as in cuDNN."""
    width = before[0].shape[1]
    gates = (inputs[:, : 2 * width] + recurrent[:, : 2 * width]).sigmoid()
    proposed = inputs[:, 2 * width :].addcmul(gates[:, :width], recurrent[:, 2 * width :]).tanh()
    return (proposed.lerp(before[0], gates[:, width:]),)


def _gru_gates(inputs: Tensor, recurrent: Tensor, before: Hidden) -> tuple[Tensor, ...]:
    """The reset gate lets the old state into the new one; the update gate keeps the old one."""
    width = 2 * before[0].shape[1]
    return (inputs[:, :width] + recurrent[:, :width]).sigmoid().chunk(2, dim=1)


RNN = Cell("rnn", "Elman RNN", 1990, gates=1, step=_rnn_step, fused="RNN")
LSTM = Cell(
    "lstm",
    "LSTM",
    1997,
    gates=4,
    step=_lstm_step,
    states=2,
    fused="LSTM",
    gate_names=("forget gate", "input gate", "output gate"),
    gate_values=_lstm_gates,
    keeps=("forget gate", "c"),
)
GRU = Cell(
    "gru",
    "GRU",
    2014,
    gates=3,
    step=_gru_step,
    fused="GRU",
    gate_names=("reset gate", "update gate"),
    gate_values=_gru_gates,
    keeps=("update gate", "h"),
)
