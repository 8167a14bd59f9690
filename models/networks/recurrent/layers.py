"""Stacked recurrent layers over whole sequences: torch's fused ones, or a cell's step repeated."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence

from models.networks.cells.cell import Cell, Hidden


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
    kind: Callable[..., nn.Module] = getattr(nn, cell.fused) if cell.fused else partial(LoopedLayers, cell)
    return kind(
        d_input,
        d_model,
        num_layers,
        batch_first=True,
        bidirectional=bidirectional,
        dropout=dropout if num_layers > 1 else 0.0,
    )


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
        batch_first: bool,
        bidirectional: bool,
        dropout: float,
    ) -> None:
        """batch_first: as `nn.RNNBase`, but it must be True."""
        if not batch_first:
            raise ValueError("batch_first must be True: these layers read (B, T, E)")
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
        if isinstance(inputs, Tensor):
            lengths = torch.full((len(inputs),), inputs.shape[1])
            packed = pack_padded_sequence(inputs, lengths, batch_first=True)
            outputs, after = self._run(packed, before)
            return outputs.data.view(inputs.shape[1], len(inputs), -1).transpose(0, 1), after
        return self._run(inputs, before)

    def _run(
        self, packed: PackedSequence, before: Tensor | Hidden | None
    ) -> tuple[PackedSequence, Tensor | Hidden]:
        sizes: list[int] = packed.batch_sizes.tolist()
        start = self._start(packed, sizes[0], before)
        data, last = packed.data, []
        for layer in range(self.num_layers):
            if layer and self.dropout and self.training:
                data = F.dropout(data, self.dropout)
            outputs = []
            for direction in range(len(self._suffixes)):
                index = layer * len(self._suffixes) + direction
                state = tuple(part[index] for part in start)
                output, state = self._direction(data, sizes, state, index, backward=direction == 1)
                outputs.append(output)
                last.append(state)
            data = torch.cat(outputs, dim=1)
        after = tuple(torch.stack(part) for part in zip(*last, strict=True))
        if packed.unsorted_indices is not None:
            after = tuple(part.index_select(1, packed.unsorted_indices) for part in after)
        result = PackedSequence(data, packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices)
        return result, after if self.cell.states > 1 else after[0]

    def _start(self, packed: PackedSequence, rows: int, before: Tensor | Hidden | None) -> Hidden:
        """The first state, its rows in the order of the packed sequence; zeros unless given."""
        if before is None:
            weight: Tensor = self.all_weights[0][1]
            shape = (self.num_layers * len(self._suffixes), rows, self.hidden_size)
            return (weight.new_zeros(shape),) * self.cell.states
        parts = before if isinstance(before, tuple) else (before,)
        sorted_indices = packed.sorted_indices
        return (
            parts if sorted_indices is None else tuple(part.index_select(1, sorted_indices) for part in parts)
        )

    def _direction(
        self, data: Tensor, sizes: list[int], state: Hidden, index: int, *, backward: bool
    ) -> tuple[Tensor, Hidden]:
        """Run one layer in one direction over N packed tokens: data (N, E), sizes: rows of each step.

        Each step has a row for each sequence that is long enough, the longest first. Returns the outputs
        (N, D) and the state of every row after its last step.
        """
        w_ih, w_hh, b_ih, b_hh = self.all_weights[index]
        steps = F.linear(data, w_ih, b_ih).split(sizes)
        outputs: list[Tensor] = []
        for inputs in reversed(steps) if backward else steps:
            rows = len(inputs)
            live = tuple(part[:rows] for part in state)
            recurrent = F.linear(live[0], w_hh, b_hh)
            kind = live[0].dtype
            after = self.cell.step(inputs.to(kind), recurrent.to(kind), live)
            outputs.append(after[0])
            if rows < len(state[0]):  # the other sequences have ended or, backward, have not begun
                after = tuple(torch.cat((new, old[rows:])) for new, old in zip(after, state, strict=True))
            state = after
        return torch.cat(outputs[::-1] if backward else outputs), state


def masked_pass(layers: nn.Module, cell: Cell, inputs: Tensor, mask: Tensor) -> tuple[Tensor, Hidden]:
    """Run recurrent layers over padded sequences whose lengths the host does not know.

    Padding leaves the state as it is. inputs (B, S, E), mask (B, S) -> outputs (B, S, D), 0
    where padded, and the state after the last real token, each (L * directions, B, D).
    """
    rnn = cast("LoopedLayers", layers)  # or torch's own, with the same attributes
    directions = 2 if rnn.bidirectional else 1
    data, real, last = inputs, mask.unsqueeze(2), []
    start = (inputs.new_zeros(len(inputs), rnn.hidden_size),) * cell.states
    for layer in range(rnn.num_layers):
        if layer:
            data = F.dropout(data, rnn.dropout, rnn.training)
        outputs = []
        for direction in range(directions):
            weights = rnn.all_weights[layer * directions + direction]
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
