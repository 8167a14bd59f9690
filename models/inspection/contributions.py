"""Contributions of the source and of the prefix to each token of the output.

Rollout makes the share of each token in a layer from the shares of all layers before, as their product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from models.inspection.question import ExplainedPrediction, InspectionError
from models.inspection.recorded_pass import CROSS, DECODER, ENCODER, AttentionBlock, record_pass
from models.networks.base import EmbeddingModel, EncoderOutput, Seq2SeqModel
from models.networks.transformer.model import TransformerModel

MAX_PART_NUMBERS = 1 << 23  # numbers in the parts of a chunk of rows
ENCODED_AT_ONCE = 8  # sources


class Shares(NamedTuple):
    """The sources of each of T decoder positions: a row of both tensors together adds up to 1."""

    source: Tensor  # (T, S)
    prefix: Tensor  # (T, T)


class DecoderLayerShares(NamedTuple):
    """The shares in one decoder layer. Rows of `self_attention` add up to 1; so do `cross` and `residual`."""

    self_attention: Tensor  # (T, T), with its residual
    cross: Tensor  # (T, S), cross-attention
    residual: Tensor  # (T,), the residual beside cross-attention


def roll_out(layers: Sequence[Tensor]) -> list[Tensor]:
    """Shares (S, S) of the tokens after each layer of an encoder (Abnar and Zuidema 2020)."""
    after: list[Tensor] = []
    for layer in layers:
        after.append(layer @ after[-1] if after else layer)
    return after


def roll_out_decoder(layers: Sequence[DecoderLayerShares], encoder: Tensor) -> list[Shares]:
    """Shares after each layer of a decoder, given the shares (S, S) of the source in the encoder's output.

    Cross-attention reads the encoder's mixture of the source; the residual carries the shares of the layer
    before (Ferrando et al. 2022).
    """
    length, size = layers[0].cross.shape
    eye = torch.eye(length, dtype=encoder.dtype, device=encoder.device)
    shares, after = Shares(encoder.new_zeros(length, size), eye), []
    for layer in layers:
        residual = layer.residual.unsqueeze(1) * layer.self_attention
        shares = Shares(layer.cross @ encoder + residual @ shares.source, residual @ shares.prefix)
        after.append(shares)
    return after


@dataclass(frozen=True)
class Contributions:
    """ALTI+ shares of T steps; those of a step add up to 1."""

    source: tuple[tuple[float, ...], ...]  # (T, S)
    prefix: tuple[tuple[float, ...], ...]  # (T, T), the start token first; 0 for later tokens

    @property
    def from_source(self) -> tuple[float, ...]:
        """The share of all source tokens together, at each step."""
        return tuple(map(math.fsum, self.source))


@dataclass(frozen=True)
class SourceGain:
    """The gain by the source at each of T steps, in nats, for any network."""

    log_probs: tuple[float, ...]  # (T,), log-probabilities of the output's tokens
    # (N, T), log-probabilities of the same tokens after N other sources
    log_probs_after_others: tuple[tuple[float, ...], ...]

    @property
    def gains(self) -> tuple[float, ...]:
        """log p(y_t | x, y_<t) minus its mean over the other sources: (T,)."""
        means = (math.fsum(column) / len(column) for column in zip(*self.log_probs_after_others, strict=True))
        return tuple(log_prob - mean for log_prob, mean in zip(self.log_probs, means, strict=True))


def can_be_traced(model: Seq2SeqModel) -> bool:
    """Whether `contributions` applies to the network."""
    return isinstance(model, TransformerModel)


def contributions(prediction: ExplainedPrediction, read: Sequence[int]) -> Contributions:
    """ALTI+ (Ferrando et al. 2022) while the decoder reads these T tokens, the start token first.

    The output y_i of an attention block is a sum of parts T_i(x_j), the residual among them. The share of a
    part is the distance from y_i that it removes; the shares of all layers are multiplied. Feed-forward
    layers mix no positions. Raises InspectionError unless the network is a `TransformerModel`.
    """
    model = prediction.model
    if not isinstance(model, TransformerModel):
        raise InspectionError("no_parts", "Only this app's own Transformers can be traced back part by part.")
    with torch.no_grad():
        recorded = record_pass(model, prediction.vectors[0], model.embed_target(prediction.tokens(read)))
        encoder = roll_out([_mixed_with_itself(block) for block in recorded.of_kind(ENCODER)])
        layers = [
            DecoderLayerShares(_mixed_with_itself(self_block), *_mixed_with_source(cross_block))
            for self_block, cross_block in zip(
                recorded.of_kind(DECODER), recorded.of_kind(CROSS), strict=True
            )
        ]
        shares = roll_out_decoder(layers, encoder[-1])[-1]
    return Contributions(tuple(map(tuple, shares.source.tolist())), tuple(map(tuple, shares.prefix.tolist())))


def _mixed_with_itself(block: AttentionBlock) -> Tensor:
    """Shares (N, N) of the tokens in a self-attention block; the residual counts for the token itself."""
    shares = []
    for rows in _rows(block):
        parts = block.attention.parts(rows)
        places = torch.arange(len(parts), device=parts.device)
        parts[places, places + rows.start] += block.residual[rows]
        shares.append(_shares(block, rows, parts))
    return torch.cat(shares)


def _mixed_with_source(block: AttentionBlock) -> tuple[Tensor, Tensor]:
    """Shares (T, S) of the source, and (T,) of the residual, in a cross-attention block."""
    shares = []
    for rows in _rows(block):
        parts = torch.cat((block.attention.parts(rows), block.residual[rows].unsqueeze(1)), dim=1)
        shares.append(_shares(block, rows, parts))
    joined = torch.cat(shares)
    return joined[:, :-1], joined[:, -1]


def _rows(block: AttentionBlock) -> list[slice]:
    """Chunks of the block's T rows whose parts have at most MAX_PART_NUMBERS numbers."""
    length, width = block.output.shape
    step = max(1, MAX_PART_NUMBERS // (width * (block.attention.weights.shape[2] + 1)))
    return [slice(first, min(first + step, length)) for first in range(0, length, step)]


def _shares(block: AttentionBlock, rows: slice, parts: Tensor) -> Tensor:
    """max(0, |y|_1 - |y - part|_1) of the parts (T, N, D) of y, as shares of their sum: (T, N).

    If no part reduces the distance to y, all nonzero parts get the same share.
    """
    output = block.output[rows].unsqueeze(1)
    parts = block.through_norm(parts, rows)
    removed = (output.abs().sum(dim=-1) - (output - parts).abs().sum(dim=-1)).clamp_min(0)
    removed = torch.where(removed.any(dim=1, keepdim=True), removed, parts.any(dim=-1).to(removed))
    return removed / removed.sum(dim=1, keepdim=True)


def source_gain(
    prediction: ExplainedPrediction, output: Sequence[int], other_sources: Sequence[Sequence[int]]
) -> SourceGain:
    """The gain of each token of an output by its source, compared with other sources, all as ids.

    Raises InspectionError if there is no other source.
    """
    if not other_sources:
        raise InspectionError(
            "no_other_sources", "There is no other source to compare with. Give at least one."
        )
    model, question = prediction.model, prediction.question
    tokens = prediction.tokens(output)[0]
    read = prediction.tokens((question.prefix[0], *output[:-1]))
    sources = [torch.tensor(list(ids), device=read.device) for ids in (question.source, *other_sources)]
    log_probs = []
    with torch.no_grad():
        for first in range(0, len(sources), ENCODED_AT_ONCE):
            encoded = _encode(model, sources[first : first + ENCODED_AT_ONCE])
            log_probs += _log_probs(model, encoded, read, tokens).tolist()
    return SourceGain(tuple(log_probs[0]), tuple(map(tuple, log_probs[1:])))


def _encode(model: EmbeddingModel, sources: Sequence[Tensor]) -> EncoderOutput:
    """Encode sources of different lengths; padding is masked, so its id does not matter."""
    mask = [torch.ones_like(source, dtype=torch.bool) for source in sources]
    return model.encode(pad_sequence(list(sources), batch_first=True), pad_sequence(mask, batch_first=True))


def _log_probs(model: EmbeddingModel, encoded: EncoderOutput, read: Tensor, tokens: Tensor) -> Tensor:
    """Log-probabilities (N, T) of one output's T tokens after each of N sources."""
    rows = len(encoded.memory)
    features = model.decode_vectors(model.embed_target(read.expand(rows, -1)), encoded)
    log_probs = model.log_probs(model.project(features))
    return log_probs.gather(2, tokens.expand(rows, -1).unsqueeze(2)).squeeze(2)
