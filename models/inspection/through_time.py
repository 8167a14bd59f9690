"""How much a token hangs on the state at every earlier step: the gradient, followed back through time.

Whether it vanishes or explodes on the way is what Bengio et al. 1994 and Pascanu et al. 2013 ("On the
difficulty of training recurrent neural networks") ask; against the latter they cut its norm: `clipped`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from models.device import recurrent_gradients
from models.inspection.question import Inquiry
from models.inspection.recurrence import Trail, Trails, recurrent, run_decoder, run_encoder
from models.networks.recurrent.model import RecurrentModel

# By the names of the cell's states: ||dF/dstate|| at each step, in the order of the text.
Norms: TypeAlias = "Mapping[str, tuple[float, ...]]"


@dataclass(frozen=True)
class ThroughTime:
    """Norms of the gradient of F at every step, in nats for each unit by which a state's vector changes."""

    source: tuple[tuple[Norms, ...], ...]  # for each layer and direction, S steps; none without such layers
    output: tuple[Norms, ...]  # for each layer, T steps: the last one writes the asked token
    weights: float  # norm of the gradient of all weights of the recurrent layers, for this one token


@dataclass(frozen=True)
class Slopes:
    """Gradients of F that one direction of a layer has, with what it went through."""

    trail: Trail
    states: tuple[tuple[Tensor, ...], ...]  # of each part of the state after each of T steps: (D,)
    inputs: Tensor  # (T, gates * D), of the products with what was read
    recurrent: Tensor  # (T, gates * D), of the products with the state before


def through_time(inquiry: Inquiry) -> ThroughTime:
    """The norms for a question. Raises InspectionError for a network that is not recurrent or is rounded."""
    names = recurrent(inquiry.model).cell.state_names
    read, written = state_gradients(inquiry)
    return ThroughTime(
        tuple(tuple(_norms(names, item) for item in layer) for layer in read),
        tuple(_norms(names, layer[0]) for layer in written),
        math.sqrt(math.fsum(_of_weights(item) for layer in (*read, *written) for item in layer)),
    )


def clipped(norms: Sequence[float], threshold: float) -> tuple[float, ...]:
    """The norm of each g * min(1, threshold / ||g||). Raises ValueError for a negative threshold.

    Training cuts the gradient of all weights at once, by one such factor: no step of it on its own.
    """
    if threshold < 0:
        raise ValueError(f"the threshold must be 0 or more; got {threshold}")
    return tuple(min(norm, threshold) for norm in norms)


def state_gradients(inquiry: Inquiry) -> tuple[list[list[Slopes]], list[list[Slopes]]]:
    """dF of every state: for each layer and direction of the source, and for each layer of the output.

    That of h says what follows from another h and the same c; that of c counts what h makes of c too.
    Raises InspectionError.
    """
    model = recurrent(inquiry.model)
    inquiry.check_gradients()
    with torch.inference_mode(False), torch.enable_grad(), recurrent_gradients:
        source, prefix = (vectors.detach().clone().requires_grad_() for vectors in inquiry.vectors)
        read: Trails = []
        if isinstance(model, RecurrentModel):
            read, encoded = run_encoder(model, source, inquiry.mask)
        else:
            encoded = model.encode_vectors(source, inquiry.mask)
        written, state = run_decoder(model, prefix, encoded)
        features, _ = model.read_out(written[-1][0].part(), state)
        trails = [trail for layer in (*read, *written) for trail in layer]
        wanted = [tensor for trail in trails for tensor in _tensors(trail)]
        result = torch.autograd.grad(inquiry.of_features(features[:, -1]).sum(), wanted, allow_unused=True)
    slopes = iter(
        torch.zeros_like(tensor[0]) if slope is None else slope[0]
        for tensor, slope in zip(wanted, result, strict=True)
    )
    told = [[_slopes(trail, slopes) for trail in layer] for layer in (*read, *written)]
    return told[: len(read)], told[len(read) :]


def _tensors(trail: Trail) -> list[Tensor]:
    """All whose gradients are wanted, in one order."""
    states = [part for hidden in trail.after for part in hidden]
    return [*states, *trail.inputs, *trail.recurrent]


def _slopes(trail: Trail, found: Iterator[Tensor]) -> Slopes:
    """The gradients of a trail's tensors, in the order in which they were wanted."""
    states = tuple(tuple(next(found) for _ in hidden) for hidden in trail.after)
    inputs, products = (torch.stack([next(found) for _ in item]) for item in (trail.inputs, trail.recurrent))
    return Slopes(trail, states, inputs, products)


def _norms(names: Sequence[str], slopes: Slopes) -> Norms:
    return {
        name: tuple(torch.stack([parts[index] for parts in slopes.states]).norm(dim=1).tolist())
        for index, name in enumerate(names)
    }


def _of_weights(slopes: Slopes) -> float:
    """The squared norm of the gradients of a direction's weights and biases: those of products add up."""
    read = slopes.trail.read[0].detach()
    before = torch.cat([hidden[0] for hidden in slopes.trail.before]).detach()
    parts = (
        slopes.inputs.T @ read,
        slopes.inputs.sum(dim=0),
        slopes.recurrent.T @ before,
        slopes.recurrent.sum(dim=0),
    )
    return math.fsum(float(part.square().sum()) for part in parts)
