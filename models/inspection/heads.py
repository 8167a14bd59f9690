"""Every attention head: its weights, its contribution, and the loss without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from models.inspection.attentions import attention_values, kinds, values_under_factors
from models.inspection.contributions import DecoderLayerShares, roll_out, roll_out_decoder
from models.inspection.question import ExplainedPrediction, InspectionError
from models.inspection.recorded_pass import CROSS, DECODER, ENCODER, AttentionValues, Factors

Grid: TypeAlias = "tuple[tuple[float, ...], ...]"  # T rows of S

PREDICTED, READ = "written", "read"
# A row of the decoder's attention is labelled by the token that it predicts, or by the token that it reads,
# the previous one (with the latter, Kobayashi et al. 2020 get better alignments).
READINGS = (PREDICTED, READ)


@dataclass(frozen=True)
class HeadStatistics:
    """Statistics of a head's weights: means over the rows that have more than one column."""

    entropy: float  # nats
    widest: float  # nats: the entropy of uniform weights
    shares: tuple[tuple[str, float], ...]  # the share of its weight on each named kind of position

    @property
    def strongest(self) -> tuple[str, float]:
        """The kind of position with the largest share."""
        return max(self.shares, key=lambda share: share[1])


@dataclass(frozen=True)
class Head:
    """One head. Rows are the T queries, columns the S keys."""

    layer: int  # 0 for the first layer
    head: int
    weights: Grid
    norms: Grid | None  # ||a f(x)|| (Kobayashi et al. 2020); None if f is unknown
    cost: float  # nats that the explained value loses if the head's output is 0
    statistics: HeadStatistics


@dataclass(frozen=True)
class Heads:
    """All heads of one kind of attention."""

    kind: str
    reading: str
    value: float  # the explained value
    layers: tuple[tuple[Head, ...], ...]
    rollout: tuple[Grid, ...]  # the rollout after each layer; empty for recurrent networks

    @property
    def every(self) -> list[Head]:
        """The heads of all layers."""
        return [head for layer in self.layers for head in layer]

    @property
    def costliest(self) -> Head:
        """The head whose removal costs most."""
        return max(self.every, key=lambda head: head.cost)


def measure_heads(
    prediction: ExplainedPrediction, kind: str, output: Sequence[int] = (), reading: str = PREDICTED
) -> Heads:
    """All heads of a kind while the network writes an output that contains the explained token.

    output: its ids, the end token included; by default the question's prefix and token. Raises
    InspectionError for a kind that the network does not have, ValueError for an unknown reading.
    """
    if reading not in READINGS:
        raise ValueError(f"reading must be one of {', '.join(READINGS)}; got {reading!r}")
    if kind not in kinds(prediction.model):
        raise InspectionError(
            "no_such_attention",
            "This network has no attention of this kind. Choose another kind, or a Transformer.",
        )
    by_kind = attention_values(prediction, prediction.tokens(_read(prediction, output)))
    layers, places = by_kind[kind], _places(by_kind[kind][0].weights, kind, reading)
    costs = ablation(prediction, kind, layers)
    heads = tuple(
        tuple(
            Head(number, *head)
            for head in zip(
                range(len(attention.weights)),
                map(_grid, attention.weights),
                _norms(attention),
                cost,
                _statistics(attention.weights, places, kind),
                strict=True,
            )
        )
        for number, (attention, cost) in enumerate(zip(layers, costs, strict=True))
    )
    rolled = _rollout(by_kind)
    return Heads(kind, reading, prediction.value, heads, tuple(map(_grid, rolled[kind])) if rolled else ())


def _read(prediction: ExplainedPrediction, output: Sequence[int]) -> tuple[int, ...]:
    """The decoder's input for the whole output: the start token, then the output without its last token."""
    ids = tuple(output) or (*prediction.question.prefix[1:], prediction.question.token)
    return (prediction.question.prefix[0], *ids[:-1])


def ablation(
    prediction: ExplainedPrediction, kind: str, layers: Sequence[AttentionValues]
) -> list[list[float]]:
    """The loss of the explained value for each head whose output is set to 0 (Michel et al. 2019)."""
    sizes = [len(attention.weights) for attention in layers]
    gates = torch.ones(sum(sizes) + 1, sum(sizes), device=prediction.source.device)
    gates[1:].fill_diagonal_(0)  # the first row is the unchanged network
    factors: Factors = {
        (kind, number): gate[:, :, None, None] for number, gate in enumerate(gates.split(sizes, dim=1))
    }
    values = values_under_factors(prediction, factors).double()
    return [part.tolist() for part in (values[0] - values[1:]).split(sizes)]


def _norms(attention: AttentionValues) -> list[Grid | None]:
    norms = attention.norms()
    return [None] * len(attention.weights) if norms is None else [_grid(norm) for norm in norms]


def _grid(numbers: Tensor) -> Grid:
    return tuple(map(tuple, numbers.tolist()))


def _places(weights: Tensor, kind: str, reading: str) -> dict[str, Tensor]:
    """Masks (T, S), by name, of the positions on which a head's weight is summed.

    "diagonal" in cross-attention is the source token at the same relative position, with its neighbours.
    """
    length, size = weights.shape[1:]
    rows = torch.arange(length, device=weights.device).unsqueeze(1)
    columns = torch.arange(size, device=weights.device)
    first, last = (columns == 0).expand(length, -1), (columns == size - 1).expand(length, -1)
    if kind == CROSS:
        word = rows - (1 if reading == READ else 0)
        share = word / max(length - 1, 1) * (size - 1)
        return {"diagonal": (columns - share).abs() <= 1, "first": first, "end": last}
    at_position = {"itself": columns == rows, "previous": columns == rows - 1}
    if kind == DECODER:
        return {**at_position, "first": first}
    at_later_position = {"next": columns == rows + 1, "second": columns == rows + 2}
    return {**at_position, **at_later_position, "first": first, "end": last}


def _statistics(weights: Tensor, places: dict[str, Tensor], kind: str) -> list[HeadStatistics]:
    """Statistics of each head; weights (H, T, S)."""
    length, size = weights.shape[1:]
    # The start token attends to itself only.
    first_row = 1 if kind == DECODER and length > 1 else 0
    rows = weights[:, first_row:].double()
    entropies = -torch.xlogy(rows, rows).sum(dim=-1).mean(dim=-1)
    allowed = torch.arange(first_row + 1, length + 1) if kind == DECODER else torch.tensor([size])
    widest = float(allowed.double().log().mean())
    on = torch.stack([(rows * mask[first_row:]).sum(dim=-1).mean(dim=-1) for mask in places.values()], dim=1)
    return [
        HeadStatistics(entropy, widest, tuple(zip(places, shares, strict=True)))
        for entropy, shares in zip(entropies.tolist(), on.tolist(), strict=True)
    ]


def _rollout(by_kind: Mapping[str, Sequence[AttentionValues]]) -> dict[str, list[Tensor]]:
    """Rollout of each kind after each layer, with equal heads and a residual of one half."""
    if ENCODER not in by_kind:
        return {}
    mean = {kind: [attention.weights.mean(dim=0) for attention in layers] for kind, layers in by_kind.items()}
    encoder = roll_out([_half(weights) for weights in mean[ENCODER]])
    decoder = roll_out_decoder(
        [
            DecoderLayerShares(_half(self_attention), cross / 2, torch.full_like(self_attention[0], 0.5))
            for self_attention, cross in zip(mean[DECODER], mean[CROSS], strict=True)
        ],
        encoder[-1],
    )
    return {
        ENCODER: encoder,
        DECODER: [shares.prefix for shares in decoder],
        CROSS: [shares.source for shares in decoder],
    }


def _half(weights: Tensor) -> Tensor:
    """Mean of attention weights and residual: (N, N)."""
    return (weights + torch.eye(len(weights), dtype=weights.dtype, device=weights.device)) / 2
