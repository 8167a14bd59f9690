"""Source or history: how much of each token comes from what was read, and from what was already written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from models.inspection.question import Inquiry, InspectionError
from models.inspection.rollout import DecoderLayerShares, roll_out, roll_out_decoder
from models.inspection.taken_apart import CROSS, DECODER, ENCODER, AttentionBlock, take_apart
from models.networks.base import EmbeddingModel, EncoderOutput, Seq2SeqModel
from models.networks.transformer.model import TransformerModel

AT_ONCE = 1 << 23  # numbers of the parts of several rows that are held at a time


@dataclass(frozen=True)
class Contributions:
    """ALTI+ of T steps: the shares of a step add up to 1."""

    source: tuple[tuple[float, ...], ...]  # (T, S)
    prefix: tuple[tuple[float, ...], ...]  # (T, T), the start token first; of later tokens 0

    @property
    def from_source(self) -> tuple[float, ...]:
        """At each step the share of all source tokens together."""
        return tuple(map(math.fsum, self.source))


@dataclass(frozen=True)
class SourceGain:
    """What the source is worth at each of T steps, in nats, whatever the network is."""

    log_probs: tuple[float, ...]  # (T,), of each token of the output
    others: tuple[tuple[float, ...], ...]  # (N, T), the same after other sources

    @property
    def gains(self) -> tuple[float, ...]:
        """log p(y_t | x, y_<t) less the mean of the others' (T,)."""
        means = (math.fsum(column) / len(column) for column in zip(*self.others, strict=True))
        return tuple(own - mean for own, mean in zip(self.log_probs, means, strict=True))


def can_be_traced(model: Seq2SeqModel) -> bool:
    """Whether `contributions` knows its parts."""
    return isinstance(model, TransformerModel)


def contributions(inquiry: Inquiry, read: Sequence[int]) -> Contributions:
    """ALTI+ (Ferrando et al. 2022) while the decoder reads these T tokens, the start token first.

    Of each block of attention the parts T_i(x_j) of its output y_i, the residual among them, are measured by
    how much nearer they bring the others to it, and the layers' shares are multiplied. Feed-forward parts
    mix no positions. Raises InspectionError for a network that is none of our Transformers.
    """
    model = inquiry.model
    if not isinstance(model, TransformerModel):
        raise InspectionError(
            "no_parts",
            "Only the parts of one of this app's own Transformers are known well enough to be traced back.",
        )
    with torch.no_grad():
        apart = take_apart(model, inquiry.vectors[0], model.embed_target(inquiry.tokens(read)))
        encoder = roll_out([_mixed_with_itself(block) for block in apart.of_kind(ENCODER)])
        layers = [
            DecoderLayerShares(_mixed_with_itself(own), *_mixed_with_source(cross))
            for own, cross in zip(apart.of_kind(DECODER), apart.of_kind(CROSS), strict=True)
        ]
        shares = roll_out_decoder(layers, encoder[-1])[-1]
    return Contributions(tuple(map(tuple, shares.source.tolist())), tuple(map(tuple, shares.prefix.tolist())))


def _mixed_with_itself(block: AttentionBlock) -> Tensor:
    """Shares (N, N) of a self-attention's tokens; what goes past it is the token's own."""

    def parts(rows: slice, past: Tensor) -> Tensor:
        whole = block.mixing.parts(rows)
        places = torch.arange(len(whole), device=whole.device)
        whole[places, places + rows.start] += past
        return whole

    return torch.cat([_shares(block, rows, parts(rows, block.beside[rows])) for rows in _rows(block)])


def _mixed_with_source(block: AttentionBlock) -> tuple[Tensor, Tensor]:
    """Shares (T, S) of the source, and (T,) of what goes past the attention."""
    shares = torch.cat(
        [
            _shares(
                block, rows, torch.cat((block.mixing.parts(rows), block.beside[rows].unsqueeze(1)), dim=1)
            )
            for rows in _rows(block)
        ]
    )
    return shares[:, :-1], shares[:, -1]


def _rows(block: AttentionBlock) -> list[slice]:
    """Of the block's T rows as many at a time as fit."""
    length, width = block.left.shape
    step = max(1, AT_ONCE // (width * (block.mixing.weights.shape[2] + 1)))
    return [slice(first, min(first + step, length)) for first in range(0, length, step)]


def _shares(block: AttentionBlock, rows: slice, parts: Tensor) -> Tensor:
    """max(0, |y|_1 - |y - part|_1) of the parts (T, N, D) of y, as shares of their sum: (T, N).

    Where no part brings the rest nearer to y, those that there are count alike.
    """
    output = block.left[rows].unsqueeze(1)
    parts = block.through_norm(parts, rows)
    near = (output.abs().sum(dim=-1) - (output - parts).abs().sum(dim=-1)).clamp_min(0)
    near = torch.where(near.any(dim=1, keepdim=True), near, parts.any(dim=-1).to(near))
    return near / near.sum(dim=1, keepdim=True)


def source_gain(inquiry: Inquiry, output: Sequence[int], others: Sequence[Sequence[int]]) -> SourceGain:
    """What each token of an output gains by the source, beside these other sources, by ids.

    Raises InspectionError if there is no other source.
    """
    if not others:
        raise InspectionError(
            "no_other_sources", "There is no other source to compare with. Give at least one."
        )
    model = inquiry.model
    written = inquiry.tokens(output)[0]
    read = inquiry.tokens((inquiry.question.prefix[0], *output[:-1]))
    sources = [
        torch.tensor(list(source), device=read.device) for source in (inquiry.question.source, *others)
    ]
    with torch.no_grad():
        log_probs = torch.cat(
            [
                _log_probs(model, _encoded(model, sources[first : first + 8]), read, written)
                for first in range(0, len(sources), 8)
            ]
        ).tolist()
    return SourceGain(tuple(log_probs[0]), tuple(map(tuple, log_probs[1:])))


def _encoded(model: EmbeddingModel, sources: Sequence[Tensor]) -> EncoderOutput:
    """Sources of uneven lengths; what they are filled up with is masked, so any token will do."""
    mask = [torch.ones_like(source, dtype=torch.bool) for source in sources]
    return model.encode(pad_sequence(list(sources), batch_first=True), pad_sequence(mask, batch_first=True))


def _log_probs(model: EmbeddingModel, encoded: EncoderOutput, read: Tensor, written: Tensor) -> Tensor:
    """(N, T): of each token of one output after each source."""
    rows = len(encoded.memory)
    features = model.decode_vectors(model.embed_target(read.expand(rows, -1)), encoded)
    log_probs = model.log_probs(model.project(features))
    return log_probs.gather(2, written.expand(rows, -1).unsqueeze(2)).squeeze(2)
