"""Recurrent cells written out, for decoding: torch's own are at their worst with one token of a few rows."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

Hidden = tuple[Tensor, ...]  # (h,) or, for an LSTM, (h, c)
Linear = Callable[[Tensor, Tensor | None], nn.Module]  # a layer of a weight (N, D) and a bias (N,)


def elman(inputs: Tensor, recurrent: Tensor, before: Hidden) -> Hidden:
    """Elman 1990; inputs and recurrent are the projections of the token and of the state, (R, D)."""
    return ((inputs + recurrent).tanh(),)


def lstm(inputs: Tensor, recurrent: Tensor, before: Hidden) -> Hidden:
    """Hochreiter and Schmidhuber 1997, with forget gate; projections (R, 4 * D)."""
    ins, forget, cell, out = (inputs + recurrent).chunk(4, dim=1)
    c = torch.addcmul(forget.sigmoid() * before[1], ins.sigmoid(), cell.tanh())
    return out.sigmoid() * c.tanh(), c


def gru(inputs: Tensor, recurrent: Tensor, before: Hidden) -> Hidden:
    """Cho et al. 2014, the reset gate after the product as in cuDNN; projections (R, 3 * D)."""
    width = before[0].shape[1]
    gates = (inputs[:, : 2 * width] + recurrent[:, : 2 * width]).sigmoid()
    proposed = torch.addcmul(inputs[:, 2 * width :], gates[:, :width], recurrent[:, 2 * width :]).tanh()
    return (torch.lerp(proposed, before[0], gates[:, width:]),)


class UnrolledCells(nn.Module):
    """What a batch-first, one-directional `nn.RNN`, `nn.LSTM` or `nn.GRU` computes, without dropout."""

    def __init__(self, cells: nn.RNNBase, linear: Linear) -> None:
        super().__init__()
        self._cell = {"RNN_TANH": elman, "LSTM": lstm, "GRU": gru}[cells.mode]
        self.inputs = nn.ModuleList(linear(w_ih, b_ih) for w_ih, _, b_ih, _ in cells.all_weights)
        self.states = nn.ModuleList(linear(w_hh, b_hh) for _, w_hh, _, b_hh in cells.all_weights)

    def forward(self, inputs: Tensor, before: Tensor | Hidden) -> tuple[Tensor, Tensor | Hidden]:
        """inputs (R, T, E), before: each (L, R, D) -> outputs (R, T, D), the state after them."""
        parts = before if isinstance(before, tuple) else (before,)
        layers = list(zip(self.inputs, self.states, strict=True))
        hidden: list[Hidden] = [tuple(part[layer] for part in parts) for layer in range(len(layers))]
        outputs = []
        for x in inputs.unbind(1):
            for layer, (project_input, project_state) in enumerate(layers):
                last = hidden[layer]
                hidden[layer] = self._cell(project_input(x), project_state(last[0]), last)
                x = hidden[layer][0]
            outputs.append(x)
        after = tuple(torch.stack(part) for part in zip(*hidden, strict=True))
        return torch.stack(outputs, dim=1), after if isinstance(before, tuple) else after[0]
