"""Recurrent layers for decoding, where torch's own are slow: one token of a few rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

from models.networks.cells.cell import Cell, Hidden

MakeLinear = Callable[[Tensor, Tensor | None], nn.Module]  # N outputs: weight (N, D), bias (N,)


class UnrolledCells(nn.Module):
    """Batch-first layers of a cell that read in one direction, without dropout.

    weights: for each layer weight_ih, weight_hh, bias_ih and bias_hh, as `nn.RNNBase.all_weights`.
    """

    def __init__(self, cell: Cell, weights: Iterable[Iterable[Tensor]], linear: MakeLinear) -> None:
        super().__init__()
        self._step = cell.step
        layers = [tuple(layer) for layer in weights]
        self.inputs = nn.ModuleList(linear(w_ih, b_ih) for w_ih, _, b_ih, _ in layers)
        self.states = nn.ModuleList(linear(w_hh, b_hh) for _, w_hh, _, b_hh in layers)

    def forward(self, inputs: Tensor, before: Tensor | Hidden) -> tuple[Tensor, Tensor | Hidden]:
        """Return outputs (R, T, D) and the state after them: inputs (R, T, E), before: (L, R, D) each."""
        parts = before if isinstance(before, tuple) else (before,)
        layers = list(zip(self.inputs, self.states, strict=True))
        hidden: list[Hidden] = [tuple(part[layer] for part in parts) for layer in range(len(layers))]
        outputs = []
        for x in inputs.unbind(1):
            for layer, (project_input, project_state) in enumerate(layers):
                last = hidden[layer]
                hidden[layer] = self._step(project_input(x), project_state(last[0]), last)
                x = hidden[layer][0]
            outputs.append(x)
        after = tuple(torch.stack(part) for part in zip(*hidden, strict=True))
        return torch.stack(outputs, dim=1), after if isinstance(before, tuple) else after[0]
