"""Recurrent layers run step by step, with the network's own weights: inner states, gradients through time.

The network is not changed. Each matrix product is the network's own, also with packed weights.
Bengio et al. 1994 and Pascanu et al. 2013 ("On the difficulty of training recurrent neural networks") examine
why the gradient of a prediction with respect to earlier states vanishes or explodes; the latter paper clips
its norm, as `clip_norms` does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TypeAlias, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.device import recurrent_gradients
from models.inspection.question import ExplainedPrediction, InspectionError
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


# ||dF/dstate|| at each step in the order of the text, by the names of the cell's states.
Norms: TypeAlias = "Mapping[str, tuple[float, ...]]"


@dataclass(frozen=True)
class ThroughTime:
    """Norms of the gradient of the explained value at every step, in nats per unit of change of a state."""

    source: tuple[tuple[Norms, ...], ...]  # S steps of each layer and direction; may be empty
    output: tuple[Norms, ...]  # norms of each layer, T steps; the last one predicts the explained token
    weights: float  # norm of the gradient of all weights of the recurrent layers, for this one token


@dataclass(frozen=True)
class Slopes:
    """Gradients of the explained value in one direction of a layer, and its recorded values."""

    record: DirectionRecord
    states: Tensor  # (T, parts of the state, D)
    inputs: Tensor  # (T, gates * D), of the products with the input
    recurrent: Tensor  # (T, gates * D), of the products with the state before


def through_time(prediction: ExplainedPrediction) -> ThroughTime:
    """The gradient norms. Raises InspectionError for a network that is not recurrent or has 8-bit weights."""
    names = recurrent_network(prediction.model).cell.state_names
    encoder, decoder = state_gradients(prediction)
    return ThroughTime(
        tuple(tuple(_norms(names, slopes) for slopes in layer) for layer in encoder),
        tuple(_norms(names, layer[0]) for layer in decoder),
        math.sqrt(
            math.fsum(_squared_weight_norm(slopes) for layer in (*encoder, *decoder) for slopes in layer)
        ),
    )


def clip_norms(norms: Sequence[float], threshold: float) -> tuple[float, ...]:
    """Norms of g * min(1, threshold / ||g||) for each g. Raises ValueError for a negative threshold.

    Training clips the gradient of all weights by one such factor, and not each step.
    """
    if threshold < 0:
        raise ValueError(f"the threshold must be 0 or more; got {threshold}")
    return tuple(min(norm, threshold) for norm in norms)


def state_gradients(prediction: ExplainedPrediction) -> tuple[list[list[Slopes]], list[list[Slopes]]]:
    """Gradients of the explained value for each layer and direction of the encoder, and each decoder layer.

    The gradient of h holds c fixed; the gradient of c includes its effect through h. Raises InspectionError.
    """
    model = recurrent_network(prediction.model)
    prediction.check_gradients()
    with torch.inference_mode(False), torch.enable_grad(), recurrent_gradients:
        source, prefix = (vectors.detach().clone().requires_grad_() for vectors in prediction.vectors)
        encoder_records: LayerRecords = []
        if isinstance(model, RecurrentModel):
            encoder_records, encoded = run_encoder(model, source, prediction.mask)
        else:
            encoded = model.encode_vectors(source, prediction.mask)
        decoder_records, state = run_decoder(model, prefix, encoded)
        features, _ = model.read_out(decoder_records[-1][0].part(), state)
        records = [record for layer in (*encoder_records, *decoder_records) for record in layer]
        tensors = [tensor for record in records for tensor in _tensors(record)]
        gradients = torch.autograd.grad(
            prediction.value_of_features(features[:, -1]).sum(), tensors, materialize_grads=True
        )
    slopes = (slope[0] for slope in gradients)
    by_layer = [
        [_slopes(record, slopes) for record in layer] for layer in (*encoder_records, *decoder_records)
    ]
    return by_layer[: len(encoder_records)], by_layer[len(encoder_records) :]


def _tensors(record: DirectionRecord) -> list[Tensor]:
    """The tensors whose gradients are computed, in the order that `_slopes` expects."""
    states = [part for hidden in record.after for part in hidden]
    return [*states, *record.inputs, *record.recurrent]


def _slopes(record: DirectionRecord, gradients: Iterator[Tensor]) -> Slopes:
    """The gradients of a record's tensors, taken from `gradients` in the order of `_tensors`."""
    steps, parts = len(record.after), len(record.after[0])
    states, inputs, products = (
        torch.stack([*islice(gradients, count)]) for count in (steps * parts, steps, steps)
    )
    return Slopes(record, states.unflatten(0, (steps, parts)), inputs, products)


def _norms(names: Sequence[str], slopes: Slopes) -> Norms:
    of_states = slopes.states.norm(dim=2).T.tolist()
    return {name: tuple(norms) for name, norms in zip(names, of_states, strict=True)}


def _squared_weight_norm(slopes: Slopes) -> float:
    """Squared norm of the gradients of a direction's weights and biases, summed over steps first."""
    read = slopes.record.read[0].detach()
    before = torch.cat([hidden[0] for hidden in slopes.record.before]).detach()
    parts = (
        slopes.inputs.T @ read,
        slopes.inputs.sum(dim=0),
        slopes.recurrent.T @ before,
        slopes.recurrent.sum(dim=0),
    )
    return math.fsum(float(part.square().sum()) for part in parts)
