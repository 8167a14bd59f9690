"""Recurrent layers run again, step by step, by the network's own weights: its modules hide what is inside.

Nothing is left on the network. Each product is the very one that the network computes, packed or not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.inspection.question import InspectionError
from models.networks.base import EncoderOutput, Seq2SeqModel
from models.networks.cells.cell import Cell, Hidden
from models.networks.recurrent.layers import LoopedLayers
from models.networks.recurrent.model import RecurrentDecoder, RecurrentModel, RecurrentState
from models.networks.recurrent.unrolled import UnrolledCells

Product: TypeAlias = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class DirectionCells:
    """One layer that reads in one direction: its products with the input and with the state."""

    input: Product  # (R, E) -> (R, gates * D)
    state: Product  # (R, D) -> (R, gates * D)


@dataclass(frozen=True)
class Trail:
    """What one direction of a layer went through; all steps are in the order of the text."""

    read: Tensor  # (B, T, E)
    inputs: tuple[Tensor, ...]  # T products with what was read: (B, gates * D)
    recurrent: tuple[Tensor, ...]  # T products with the state before: (B, gates * D)
    before: tuple[Hidden, ...]  # the state before each of T steps: each part (B, D)
    after: tuple[Hidden, ...]  # and after it

    def part(self, at: int = 0) -> Tensor:
        """One part of the state after each step: (B, T, D); the first is h."""
        return torch.stack([hidden[at] for hidden in self.after], dim=1)

    def gates(self, cell: Cell) -> dict[str, Tensor]:
        """How far each gate of the cell was open at each step: (B, T, D)."""
        if cell.gate_values is None:
            return {}
        inputs, recurrent = (torch.cat(item) for item in (self.inputs, self.recurrent))
        hidden = tuple(torch.cat(parts) for parts in zip(*self.before, strict=True))
        steps = len(self.inputs)
        values = (gate.unflatten(0, (steps, -1)) for gate in cell.gate_values(inputs, recurrent, hidden))
        return {name: gate.transpose(0, 1) for name, gate in zip(cell.gate_names, values, strict=True)}


Trails: TypeAlias = "list[list[Trail]]"  # for each layer, for each of its directions


def recurrent(model: Seq2SeqModel) -> RecurrentDecoder:
    """The network, if its decoder is recurrent. Raises InspectionError."""
    if not isinstance(model, RecurrentDecoder):
        raise InspectionError(
            "not_recurrent",
            "This network carries no state from step to step: it reads all earlier tokens anew each time. "
            "Choose a recurrent checkpoint.",
        )
    return model


def cells_of(layers: nn.Module) -> list[list[DirectionCells]]:
    """The directions of each layer, of torch's own layers, of repeated and of unrolled ones."""
    if isinstance(layers, UnrolledCells):
        products = zip(layers.inputs, layers.states, strict=True)
        return [[DirectionCells(read, state)] for read, state in products]
    assert isinstance(layers, nn.RNNBase | LoopedLayers)
    weights = cast("list[list[Tensor]]", layers.all_weights)
    result = [
        DirectionCells(
            partial(F.linear, weight=w_ih, bias=b_ih),
            partial(F.linear, weight=w_hh, bias=b_hh),
        )
        for w_ih, w_hh, b_ih, b_hh in weights
    ]
    directions = 2 if layers.bidirectional else 1
    return [result[index : index + directions] for index in range(0, len(result), directions)]


def run_encoder(model: RecurrentModel, vectors: Tensor, mask: Tensor) -> tuple[Trails, EncoderOutput]:
    """Read sources: vectors (B, S, E), mask (B, S) bool, real tokens first. Differentiable.

    The encoded source is the network's own; at padding a direction keeps the state that it had.
    """
    layers = cells_of(model.encoder)
    width = cast("int", model.encoder.hidden_size)
    # Part of the gradient as all states are, for what is made of it depends on the weights too.
    zeros = vectors.new_zeros(len(vectors), width).requires_grad_(vectors.requires_grad)
    nothing = (zeros,) * model.cell.states
    trails: Trails = []
    for layer in layers:
        trails.append(
            [
                _run(model.cell, cells, vectors, nothing, mask, backward=index == 1)
                for index, cells in enumerate(layer)
            ]
        )
        vectors = _given_out(trails[-1])
    ends = tuple(
        torch.stack([_end(directions, part) for directions in trails], dim=1)
        for part in range(model.cell.states)
    )
    return trails, EncoderOutput(vectors * mask.unsqueeze(2), mask, ends)


def run_decoder(
    model: RecurrentDecoder, vectors: Tensor, encoded: EncoderOutput
) -> tuple[Trails, RecurrentState]:
    """Read what was written: vectors (B, T, E) -> one direction a layer, the state before. Differentiable."""
    state = model.initial_state(encoded)
    inputs = model.cell_inputs(vectors, state)
    mask = torch.ones_like(inputs[:, :, 0], dtype=torch.bool)
    trails: Trails = []
    for index, (cells,) in enumerate(cells_of(model.decoder)):
        before = tuple(part[:, index] for part in state.hidden)
        trails.append([_run(model.cell, cells, inputs, before, mask)])
        inputs = _given_out(trails[-1])
    return trails, state


def _run(
    cell: Cell, cells: DirectionCells, read: Tensor, state: Hidden, mask: Tensor, *, backward: bool = False
) -> Trail:
    """read (B, T, E), state: each (B, D), mask (B, T) bool."""
    steps = list(zip(read.unbind(1), mask.unsqueeze(2).unbind(1), strict=True))
    padded = not bool(mask.all())
    told = []
    for x, real in reversed(steps) if backward else steps:
        inputs, recurrent_part, before = cells.input(x), cells.state(state[0]), state
        state = cell.step(inputs, recurrent_part, before)
        if padded:
            state = tuple(torch.where(real, new, old) for new, old in zip(state, before, strict=True))
        told.append((inputs, recurrent_part, before, state))
    columns = zip(*(reversed(told) if backward else told), strict=True)
    return Trail(read, *(tuple(column) for column in columns))


def _given_out(directions: Sequence[Trail]) -> Tensor:
    """What the next layer reads: (B, T, D of all directions)."""
    return torch.cat([trail.part() for trail in directions], dim=2)


def _end(directions: Sequence[Trail], part: int) -> Tensor:
    """The state after a layer's last step, which a backward direction takes at the first token."""
    ends = (trail.after[-1 if index == 0 else 0] for index, trail in enumerate(directions))
    return torch.cat([hidden[part] for hidden in ends], dim=1)
