"""Stacked recurrent layers: torch's fused ones, or a cell's step repeated, as decoding needs it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from models.networks.cells.cell import Cell, Hidden

MakeLinear = Callable[[Tensor, Tensor | None], nn.Module]  # N outputs: weight (N, D), bias (N,)


def recurrent_layers(
    cell: Cell,
    d_input: int,
    d_model: int,
    num_layers: int,
    *,
    bidirectional: bool = False,
    dropout: float = 0.0,
) -> nn.Module:
    """Batch-first layers as `nn.RNNBase` has them; `dropout` acts between two layers."""
    kind: Callable[..., nn.Module] = (
        partial(getattr(nn, cell.fused), batch_first=True) if cell.fused else partial(LoopedLayers, cell)
    )
    dropout = dropout if num_layers > 1 else 0.0
    return kind(d_input, d_model, num_layers, bidirectional=bidirectional, dropout=dropout)


class LoopedLayers(nn.Module):
    """Any cell over whole sequences, with the interface and the parameters' names of `nn.RNNBase`.

    Under autocast the products are in lower precision, and the state stays in that of the weights.
    """

    def __init__(
        self,
        cell: Cell,
        input_size: int,
        hidden_size: int,
        num_layers: int,
        *,
        bidirectional: bool,
        dropout: float,
    ) -> None:
        super().__init__()
        self.cell, self.hidden_size, self.num_layers = cell, hidden_size, num_layers
        self.bidirectional, self.dropout = bidirectional, dropout
        self._suffixes = ("", "_reverse") if bidirectional else ("",)
        gates = cell.gates * hidden_size
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * len(self._suffixes)
            for suffix in self._suffixes:
                shapes = {"weight_ih": (gates, width), "weight_hh": (gates, hidden_size)}
                for name, shape in {**shapes, "bias_ih": (gates,), "bias_hh": (gates,)}.items():
                    self.register_parameter(f"{name}_l{layer}{suffix}", nn.Parameter(torch.empty(shape)))
        bound = 1 / math.sqrt(hidden_size)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound)

    @property
    def all_weights(self) -> list[list[Tensor]]:
        """The weight_ih, weight_hh, bias_ih and bias_hh of each layer and direction."""
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        return [
            [getattr(self, f"{name}_l{layer}{suffix}") for name in names]
            for layer in range(self.num_layers)
            for suffix in self._suffixes
        ]

    def forward(
        self, inputs: Tensor | PackedSequence, before: Tensor | Hidden | None = None
    ) -> tuple[Tensor | PackedSequence, Tensor | Hidden]:
        """Return the outputs and the state after the last step.

        inputs (B, T, E) or packed; before: the first state, (L * directions, B, D) each.
        """
        if isinstance(inputs, PackedSequence):
            padded, lengths = pad_packed_sequence(inputs, batch_first=True)
            mask = (torch.arange(padded.shape[1]) < lengths.unsqueeze(1)).to(padded.device)
            outputs, after = self._run(padded, mask, before)
            return pack_padded_sequence(outputs, lengths, batch_first=True, enforce_sorted=False), after
        return self._run(inputs, torch.ones_like(inputs[:, :, 0], dtype=torch.bool), before)

    def _run(
        self, inputs: Tensor, mask: Tensor, before: Tensor | Hidden | None
    ) -> tuple[Tensor, Tensor | Hidden]:
        start = before if before is None or isinstance(before, tuple) else (before,)
        outputs, after = masked_pass(self, self.cell, inputs, mask, start)
        return outputs, after if self.cell.states > 1 else after[0]


def masked_pass(
    layers: nn.Module, cell: Cell, inputs: Tensor, mask: Tensor, before: Hidden | None = None
) -> tuple[Tensor, Hidden]:
    """Run recurrent layers over padded sequences whose lengths the host need not know.

    Padding leaves the state as it is. inputs (B, S, E), mask (B, S) -> outputs (B, S, D), 0
    where padded, and the state after the last real token, each (L * directions, B, D). before: the first
    state, each of the same shape; None: zeros.
    """
    rnn = cast("LoopedLayers", layers)  # or torch's own, with the same attributes
    directions = 2 if rnn.bidirectional else 1
    data, real, last = inputs, mask.unsqueeze(2), []
    zeros = (inputs.new_zeros(len(inputs), rnn.hidden_size),) * cell.states
    for layer in range(rnn.num_layers):
        if layer:
            data = F.dropout(data, rnn.dropout, rnn.training)
        outputs = []
        for direction in range(directions):
            index = layer * directions + direction
            start = zeros if before is None else tuple(part[index] for part in before)
            weights = rnn.all_weights[index]
            states = _masked_direction(cell, weights, data, real, start, backward=direction == 1)
            outputs.append(torch.stack([state[0] for state in states], dim=1))
            last.append(states[0 if direction else -1])
        data = torch.cat(outputs, dim=2)
    return data * real, tuple(torch.stack(part) for part in zip(*last, strict=True))


def _masked_direction(
    cell: Cell, weights: list[Tensor], data: Tensor, real: Tensor, state: Hidden, *, backward: bool
) -> list[Hidden]:
    """The state after each position: data (B, S, E), real (B, S, 1) bool, state: each (B, D)."""
    w_ih, w_hh, b_ih, b_hh = weights
    steps = list(zip(F.linear(data, w_ih, b_ih).unbind(1), real.unbind(1), strict=True))
    states = list[Hidden]()
    for inputs, is_real in reversed(steps) if backward else steps:
        recurrent = F.linear(state[0], w_hh, b_hh)
        after = cell.step(inputs.to(state[0].dtype), recurrent.to(state[0].dtype), state)
        state = tuple(torch.where(is_real, new, old) for new, old in zip(after, state, strict=True))
        states.append(state)
    return states[::-1] if backward else states


class UnrolledCells(nn.Module):
    """Batch-first layers of a cell that read in one direction, without dropout, for decoding.

    torch's own layers are slow for one token of a few rows.

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
