"""The gradient of a prediction with respect to the state at every earlier step, back through time.

Bengio et al. 1994 and Pascanu et al. 2013 ("On the difficulty of training recurrent neural networks") examine
why it vanishes or explodes; the latter paper clips its norm, as `clip_norms` does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from models.device import recurrent_gradients
from models.inspection.question import ExplainedPrediction
from models.inspection.recurrence import (
    DirectionRecord,
    LayerRecords,
    recurrent_network,
    run_decoder,
    run_encoder,
)
from models.networks.recurrent.model import RecurrentModel

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
    states: tuple[tuple[Tensor, ...], ...]  # T steps, each part of the state: (D,)
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
            prediction.value_of_features(features[:, -1]).sum(), tensors, allow_unused=True
        )
    slopes = iter(
        torch.zeros_like(tensor[0]) if slope is None else slope[0]
        for tensor, slope in zip(tensors, gradients, strict=True)
    )
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
    states = tuple(tuple(next(gradients) for _ in hidden) for hidden in record.after)
    inputs, products = (
        torch.stack([next(gradients) for _ in tensors]) for tensors in (record.inputs, record.recurrent)
    )
    return Slopes(record, states, inputs, products)


def _norms(names: Sequence[str], slopes: Slopes) -> Norms:
    return {
        name: tuple(torch.stack([parts[index] for parts in slopes.states]).norm(dim=1).tolist())
        for index, name in enumerate(names)
    }


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
