"""Recurrent layers run step by step with the network's own weights, to record their inner states.

The network is not changed. Each matrix product is the network's own, also with packed weights.
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
from models.networks.recurrent.layers import LoopedLayers, UnrolledCells
from models.networks.recurrent.model import RecurrentDecoder, RecurrentModel, RecurrentState

Product: TypeAlias = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class DirectionCells:
    """One layer that reads in one direction: its products with the input and with the state."""

    input: Product  # (R, E) -> (R, gates * D)
    state: Product  # (R, D) -> (R, gates * D)


@dataclass(frozen=True)
class DirectionRecord:
    """The recorded values of one direction of a layer, in the order of the text."""

    read: Tensor  # (B, T, E), the input vectors
    inputs: tuple[Tensor, ...]  # T products with the input, (B, gates * D) each
    recurrent: tuple[Tensor, ...]  # T products with the state before the step, (B, gates * D) each
    before: tuple[Hidden, ...]  # the state before each of T steps: each part (B, D)
    after: tuple[Hidden, ...]  # the state after each step

    def part(self, index: int = 0) -> Tensor:
        """One part of the state after each step: (B, T, D); the first is h."""
        return torch.stack([hidden[index] for hidden in self.after], dim=1)

    def gates(self, cell: Cell) -> dict[str, Tensor]:
        """The value of each gate at each step, by its name: (B, T, D)."""
        if cell.gate_values is None:
            return {}
        inputs, recurrent = (torch.cat(products) for products in (self.inputs, self.recurrent))
        hidden = tuple(torch.cat(parts) for parts in zip(*self.before, strict=True))
        steps = len(self.inputs)
        values = (gate.unflatten(0, (steps, -1)) for gate in cell.gate_values(inputs, recurrent, hidden))
        return {name: gate.transpose(0, 1) for name, gate in zip(cell.gate_names, values, strict=True)}


LayerRecords: TypeAlias = "list[list[DirectionRecord]]"  # layers, then directions


def recurrent_network(model: Seq2SeqModel) -> RecurrentDecoder:
    """Return the network if it is a `RecurrentDecoder`. Raises InspectionError for other networks."""
    if not isinstance(model, RecurrentDecoder):
        raise InspectionError(
            "not_recurrent",
            "This network carries no state from step to step: it reads all earlier tokens again each "
            "time. Choose a recurrent checkpoint.",
        )
    return model


def cells_of(layers: nn.Module) -> list[list[DirectionCells]]:
    """The directions of each layer, whether torch's own, looped or unrolled."""
    if isinstance(layers, UnrolledCells):
        products = zip(layers.inputs, layers.states, strict=True)
        return [[DirectionCells(read, state)] for read, state in products]
    assert isinstance(layers, nn.RNNBase | LoopedLayers)
    weights = cast("list[list[Tensor]]", layers.all_weights)
    cells = [
        DirectionCells(partial(F.linear, weight=w_ih, bias=b_ih), partial(F.linear, weight=w_hh, bias=b_hh))
        for w_ih, w_hh, b_ih, b_hh in weights
    ]
    directions = 2 if layers.bidirectional else 1
    return [cells[first : first + directions] for first in range(0, len(cells), directions)]


def run_encoder(model: RecurrentModel, vectors: Tensor, mask: Tensor) -> tuple[LayerRecords, EncoderOutput]:
    """Run the encoder on vectors (B, S, E) with mask (B, S) bool, padding at the end. Differentiable.

    The encoding equals the network's own; at padding a direction keeps its state.
    """
    layers = cells_of(model.encoder)
    width = cast("int", model.encoder.hidden_size)
    # The initial state requires gradients like all other states, since its products depend on the weights.
    zeros = vectors.new_zeros(len(vectors), width).requires_grad_(vectors.requires_grad)
    zero_state = (zeros,) * model.cell.states
    records: LayerRecords = []
    for layer in layers:
        records.append(
            [
                _run(model.cell, cells, vectors, zero_state, mask, backward=direction == 1)
                for direction, cells in enumerate(layer)
            ]
        )
        vectors = _outputs(records[-1])
    ends = tuple(
        torch.stack([_end(directions, part) for directions in records], dim=1)
        for part in range(model.cell.states)
    )
    return records, EncoderOutput(vectors * mask.unsqueeze(2), mask, ends)


def run_decoder(
    model: RecurrentDecoder, vectors: Tensor, encoded: EncoderOutput
) -> tuple[LayerRecords, RecurrentState]:
    """Run the decoder on vectors (B, T, E): one direction a layer, and the initial state. Differentiable."""
    state = model.initial_state(encoded)
    inputs = model.cell_inputs(vectors, state)
    mask = torch.ones_like(inputs[:, :, 0], dtype=torch.bool)
    records: LayerRecords = []
    for index, (cells,) in enumerate(cells_of(model.decoder)):
        before = tuple(part[:, index] for part in state.hidden)
        records.append([_run(model.cell, cells, inputs, before, mask)])
        inputs = _outputs(records[-1])
    return records, state


def _run(
    cell: Cell, cells: DirectionCells, read: Tensor, state: Hidden, mask: Tensor, *, backward: bool = False
) -> DirectionRecord:
    """Run one direction: read (B, T, E), parts of the state (B, D), mask (B, T) bool."""
    steps = list(zip(read.unbind(1), mask.unsqueeze(2).unbind(1), strict=True))
    padded = not bool(mask.all())
    records = []
    for x, real in reversed(steps) if backward else steps:
        inputs, recurrent_part, before = cells.input(x), cells.state(state[0]), state
        state = cell.step(inputs, recurrent_part, before)
        if padded:
            state = tuple(torch.where(real, new, old) for new, old in zip(state, before, strict=True))
        records.append((inputs, recurrent_part, before, state))
    columns = zip(*(reversed(records) if backward else records), strict=True)
    return DirectionRecord(read, *(tuple(column) for column in columns))


def _outputs(directions: Sequence[DirectionRecord]) -> Tensor:
    """The next layer's input: (B, T, D of all directions)."""
    return torch.cat([record.part() for record in directions], dim=2)


def _end(directions: Sequence[DirectionRecord], part: int) -> Tensor:
    """A part of the state after the last step, which is the first token for a backward direction."""
    ends = (record.after[-1 if direction == 0 else 0] for direction, record in enumerate(directions))
    return torch.cat([hidden[part] for hidden in ends], dim=1)
