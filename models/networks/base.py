"""The contract between a network and everything that uses one.

Shape letters, used in every file: B batch, R rows (batch x beam), K beam, S source length, T target
length, V vocabulary, D model width, H heads, L layers.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from models.batch import Batch

State = TypeVar("State", bound="DecoderState")


@dataclass(frozen=True)
class EncoderOutput:
    """The source as the decoder sees it."""

    memory: Tensor  # (B, S, D)
    mask: Tensor  # (B, S) bool, True = may attend
    final: tuple[Tensor, ...] = ()  # what a recurrent encoder hands over: each (B, L, D)
    self_attention: Tensor | None = None  # (B, L, H, S, S)

    def rows(self, rows: Tensor, mask: Tensor) -> EncoderOutput:
        """The sources of these rows (R,), with another mask (R, S), without the encoder's own attention."""
        final = tuple(state.index_select(0, rows) for state in self.final)
        return EncoderOutput(self.memory.index_select(0, rows), mask, final)


class DecoderState(ABC):
    """All that a decoder carries from one step to the next.

    Every tensor has its rows first, or the sources that they read.
    """

    @abstractmethod
    def reorder(self: State, rows: Tensor, same_source: bool = False, together: int = 1) -> State:
        """The state whose row i is row `rows[i]` of this one. rows: (R',) int64, repeats allowed.

        `together` promises that as many new rows as that, one after the other, read the same source, which
        may then be kept once for all of them.

        `same_source` promises that row i reads the same source as before, as when beams of one
        sentence change places: what depends on the source alone is then left where it is. There must be
        no more rows than before; of fewer, each reads what the first ones read.
        """

    def newest(self) -> Any:
        """What the latest step added, for `resumed` alone; the state itself if a step makes it anew."""
        return self

    def resumed(self: State, newest: Sequence[Any], rows: Tensor) -> State:
        """A state that is put together again from what each of its T steps added.

        newest: T values of `newest`, oldest first. rows (T, R') int64: the row of each that was to become
        row i. All rows read the one source that at least R' rows of this state read, which is shared.
        """
        resumed: State = newest[-1].reorder(rows[-1])
        return resumed


@dataclass(frozen=True)
class StepOutput:
    """What one decoding step returns, by value; nothing is left on the network."""

    logits: Tensor  # (R, V)
    state: DecoderState
    hidden: Tensor  # (R, D), what the output layer saw
    cross_attention: Tensor | None = None  # (R, L, H, S)
    self_attentions: tuple[Tensor, ...] = ()  # L of (R, H, T) over the target tokens so far, if it has any

    @property
    def self_attention(self) -> Tensor | None:
        """(R, L, H, T); put together only where it is asked for, which a search does not."""
        return torch.stack(self.self_attentions, dim=1) if self.self_attentions else None


class Seq2SeqModel(nn.Module, ABC):
    """An encoder and a decoder that can be trained in one pass and run one token at a time."""

    vocab_size: int
    never_ids: tuple[int, ...] = ()  # tokens that no output holds: `log_probs` leaves them out
    max_positions: int | None = None  # longest source or target, in tokens; None = no limit
    attention_shape: tuple[int, int] | None = None  # layers and heads of cross-attention; None = it has none
    compiles: bool = False  # whether torch.compile can take `features` whole

    @abstractmethod
    def encode(self, src: Tensor, src_mask: Tensor) -> EncoderOutput:
        """src (B, S) int64, src_mask (B, S) bool."""

    @abstractmethod
    def initial_state(self, encoded: EncoderOutput) -> DecoderState:
        """The decoder's state before its first step: one row for each source, R = B."""

    @abstractmethod
    def step(self, tokens: Tensor, state: DecoderState, override: Tensor | None = None) -> StepOutput:
        """Feed one token (R,) int64 to each row and predict the next.

        `override`, broadcastable to (R, L, H, S), replaces cross-attention after its softmax; NaN leaves
        the network's own weight. What was used is returned as `cross_attention`. Raises ValueError if
        the network has no attention or the shape does not fit.
        """

    @abstractmethod
    def features(self, batch: Batch) -> Tensor:
        """What the output layer sees under teacher forcing: (B, T, D)."""

    @abstractmethod
    def project(self, features: Tensor) -> Tensor:
        """The output layer: (..., D) -> logits (..., V)."""

    def log_probs(self, logits: Tensor) -> Tensor:
        """The distribution of the next token: logits (..., V) -> log-probabilities (..., V) in nats.

        `never_ids` leave before the softmax and get -inf. The padding of a converted Marian, for example,
        would else take a large share of every step. This is what the `generate` of the transformers library
        calls `renormalize_logits`.
        """
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
        if self.never_ids:
            logits = logits.index_fill(-1, torch.tensor(self.never_ids, device=logits.device), -math.inf)
        return logits.log_softmax(dim=-1)

    def pass_bytes(self, source: int, target: int) -> int:
        """About how many bytes a row of a teacher-forced pass holds, its gradients included, its logits not.

        source: S, target: T. 0 of a network that keeps nothing for its rows.
        """
        return 0

    def forward(self, batch: Batch) -> Tensor:
        """Teacher-forced logits (B, T, V); position t predicts `batch.tgt_out[:, t]`."""
        logits: Tensor = self.project(self.features(batch))
        return logits

    def num_parameters(self) -> int:
        """Trainable numbers; a tied matrix counts once."""
        return sum(parameter.numel() for parameter in self.parameters())


class EmbeddingModel(Seq2SeqModel):
    """A network that reads its tokens as vectors, so that it can be asked what a vector changes.

    E, the width of a vector, need not be D. All four parts are differentiable.
    """

    @abstractmethod
    def embed_source(self, src: Tensor) -> Tensor:
        """Each source token before the network knows its place: (B, S) int64 -> (B, S, E)."""

    @abstractmethod
    def encode_vectors(self, vectors: Tensor, src_mask: Tensor) -> EncoderOutput:
        """vectors (B, S, E) as `embed_source` gives them, src_mask (B, S) bool."""

    def places(self, src: Tensor) -> Tensor:
        """For each of S source vectors the place of the encoder's output that it lies at: (S,) int64.

        Its own, unless several share one, as the pixels of a picture share its cells.
        """
        return torch.arange(src.shape[1], device=src.device)

    def blank(self, vectors: Tensor, token: int) -> Tensor:
        """What takes the place of a vector of a source (1, S, E) that is taken out: (1, 1, E).

        The vector of this token, or the mean colour of a picture.
        """
        return self.embed_source(torch.full((1, 1), token, device=vectors.device))

    @abstractmethod
    def embed_target(self, tokens: Tensor) -> Tensor:
        """Each target token before the network knows its place: int64 of any shape -> (..., E)."""

    @abstractmethod
    def decode_vectors(self, vectors: Tensor, encoded: EncoderOutput) -> Tensor:
        """What the output layer sees if the whole target is known: (B, T, E) -> (B, T, D)."""

    def last_feature(self, vectors: Tensor, encoded: EncoderOutput) -> Tensor:
        """What the output layer sees behind the last token of `decode_vectors`: (B, T, E) -> (B, D)."""
        return self.decode_vectors(vectors, encoded)[:, -1]

    def encoder_layers(self, vectors: Tensor, src_mask: Tensor) -> list[EncoderOutput]:
        """What the decoder would read if the encoder ended early: before its first layer, and after each.

        One alone, that of `encode_vectors`, if the network has no layers that lead to the same vectors.
        """
        return [self.encode_vectors(vectors, src_mask)]

    def decoder_layers(self, vectors: Tensor, encoded: EncoderOutput) -> list[Tensor]:
        """What the output layer would see if the decoder ended early: before its first layer, and after each.

        Each (B, T, D). One alone, that of `decode_vectors`, if no layers of the network lead to the same
        vectors.
        """
        return [self.decode_vectors(vectors, encoded)]

    def encode(self, src: Tensor, src_mask: Tensor) -> EncoderOutput:
        """See `Seq2SeqModel.encode`."""
        return self.encode_vectors(self.embed_source(src), src_mask)

    def features(self, batch: Batch) -> Tensor:
        """See `Seq2SeqModel.features`."""
        encoded = self.encode(batch.src, batch.src_mask)
        return self.decode_vectors(self.embed_target(batch.tgt_in), encoded)
