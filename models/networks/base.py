"""The contract between a network and everything that uses one, and what the networks share.

Shape letters of this package: A width of an alignment score, B sources of a batch, D model width, E width of
the vectors that a network reads, H heads, L layers, N a size that is explained where it stands, P pixels of a
picture, R rows that are decoded together (several may read one source), S source length, T target length,
V vocabulary. B' and R' are the numbers of sources and rows after `DecoderState.reorder`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from models.batch import Batch

State = TypeVar("State", bound="DecoderState")
KeyValues = tuple[Tensor, ...]  # keys and values of all layers in a decoder state: (R, ..., T, D/H) each


@dataclass(frozen=True)
class EncoderOutput:
    """The source as the decoder sees it."""

    memory: Tensor  # (B, S, D)
    mask: Tensor  # (B, S) bool, True = may attend
    final: tuple[Tensor, ...] = ()  # the last state of a recurrent encoder: each (B, L, D)
    self_attention: Tensor | None = None  # (B, L, H, S, S)

    def rows(self, rows: Tensor, mask: Tensor) -> EncoderOutput:
        """The sources of these rows (R,), with another mask (R, S), without the encoder's own attention."""
        final = tuple(state.index_select(0, rows) for state in self.final)
        return EncoderOutput(self.memory.index_select(0, rows), mask, final)


class DecoderState(ABC):
    """All that a decoder carries from one step to the next.

    Dimension 0 of every tensor is rows, or sources.
    """

    @abstractmethod
    def reorder(self: State, rows: Tensor, same_source: bool = False, rows_per_source: int = 1) -> State:
        """Return the state whose row i is row `rows[i]` of this one; rows (R',) int64 may repeat a row.

        same_source: True if row i of the result reads the source of row i of this state, as when the rows of
        one sentence change places. R' is then at most R, and keys and values of the source need no copy.
        rows_per_source: how many consecutive rows of the result read one source, which may be stored once.
        """

    def newest(self) -> Any:
        """Return the part of the state that the latest step added; `resume` needs it.

        It is the whole state if each step replaces all of it.
        """
        return self

    def resume(self: State, newest: Sequence[Any], rows: Tensor) -> State:
        """Rebuild the state after T steps from what each of them added.

        newest: the T results of `newest`, oldest first. rows (T, R') int64: column i has the ancestor of row
        i at each step. This state has R' rows or more, and all of them read the same source.
        """
        resumed: State = newest[-1].reorder(rows[-1])
        return resumed


@dataclass(frozen=True)
class StepOutput:
    """The result of one decoding step. The network itself keeps nothing of it."""

    logits: Tensor  # (R, V)
    state: DecoderState
    hidden: Tensor  # (R, D), the input of the output layer
    cross_attention: Tensor | None = None  # (R, L, H, S)
    # L of (R, H, T), over the target tokens so far; () if there is none
    self_attentions: tuple[Tensor, ...] = ()

    @property
    def self_attention(self) -> Tensor | None:
        """The self-attention of all layers (R, L, H, T), stacked on demand: a search does not need it."""
        return torch.stack(self.self_attentions, dim=1) if self.self_attentions else None


class Seq2SeqModel(nn.Module, ABC):
    """An encoder and a decoder that can be trained in one pass and run one token at a time."""

    vocab_size: int
    never_ids: tuple[int, ...] = ()  # tokens that no output contains: `log_probs` leaves them out
    max_positions: int | None = None  # longest source or target, in tokens; None = no limit
    attention_shape: tuple[int, int] | None = None  # layers and heads of cross-attention, if there is any
    capturable: bool = False  # whether `features` can be captured as a graph of the device

    @abstractmethod
    def encode(self, src: Tensor, src_mask: Tensor) -> EncoderOutput:
        """Encode sources: src (B, S) int64, src_mask (B, S) bool."""

    @abstractmethod
    def initial_state(self, encoded: EncoderOutput) -> DecoderState:
        """The decoder's state before its first step: one row for each source, R = B."""

    @abstractmethod
    def step(self, tokens: Tensor, state: DecoderState, override: Tensor | None = None) -> StepOutput:
        """Feed one token (R,) int64 to each row and predict the next.

        `override`, broadcastable to (R, L, H, S), replaces cross-attention after its softmax; NaN leaves
        the network's own weight. `cross_attention` returns the weights that were used. Raises ValueError
        if the network has no attention or the shape does not fit.
        """

    @property
    def repeated_layers(self) -> Iterable[nn.Module]:
        """Layers of a few kinds that torch.compile takes one by one: it compiles each kind once."""
        return ()

    @abstractmethod
    def features(self, batch: Batch) -> Tensor:
        """The input of the output layer under teacher forcing: (B, T, D)."""

    @abstractmethod
    def project(self, features: Tensor) -> Tensor:
        """The output layer: (..., D) -> logits (..., V)."""

    def log_probs(self, logits: Tensor) -> Tensor:
        """The distribution of the next token: logits (..., V) -> log-probabilities (..., V) in nats.

        `never_ids` are left out of the softmax and get -inf; otherwise the padding of a converted Marian, for
        example, would take a large share of every step. The transformers library does the same with
        `generate(renormalize_logits=True)`.
        """
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
        if self.never_ids:
            logits = logits.index_fill(-1, torch.tensor(self.never_ids, device=logits.device), -math.inf)
        return logits.log_softmax(dim=-1)

    def pass_bytes(self, source: int, target: int) -> int:
        """Estimate the bytes of a row in a teacher-forced pass, with its gradients and without its logits.

        source: S, target: T. 0 for a network that stores nothing for its rows.
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
    """A network that can read vectors in place of tokens, to study the effect of a vector.

    E may differ from D. Embedding, encoding and decoding are differentiable.
    """

    @abstractmethod
    def embed_source(self, src: Tensor) -> Tensor:
        """Embed source tokens, without their positions: (B, S) int64 -> (B, S, E)."""

    @abstractmethod
    def encode_vectors(self, vectors: Tensor, src_mask: Tensor) -> EncoderOutput:
        """Encode vectors (B, S, E) of `embed_source`; src_mask (B, S) bool."""

    def places(self, src: Tensor) -> Tensor:
        """The position of each of S source vectors in the encoder's output: (S,) int64.

        It is the vector's own index, unless vectors share a position, as the pixels of a cell do.
        """
        return torch.arange(src.shape[1], device=src.device)

    def blank(self, vectors: Tensor, token: int) -> Tensor:
        """The vector (1, 1, E) that replaces a removed one of a source (1, S, E).

        It is the vector of `token`, or the mean colour of a picture.
        """
        return self.embed_source(torch.full((1, 1), token, device=vectors.device))

    @abstractmethod
    def embed_target(self, tokens: Tensor) -> Tensor:
        """Embed target tokens, without their positions: int64 of any shape -> (..., E)."""

    @abstractmethod
    def decode_vectors(self, vectors: Tensor, encoded: EncoderOutput) -> Tensor:
        """The input of the output layer for a whole target: (B, T, E) -> (B, T, D)."""

    def last_feature(self, vectors: Tensor, encoded: EncoderOutput) -> Tensor:
        """The input of the output layer after the last token: (B, T, E) -> (B, D)."""
        return self.decode_vectors(vectors, encoded)[:, -1]

    def encoder_layers(self, vectors: Tensor, src_mask: Tensor) -> list[EncoderOutput]:
        """The encoder's output before its first layer and after each layer, as if it ended there.

        A network whose layers do not share one vector space returns only that of `encode_vectors`.
        """
        return [self.encode_vectors(vectors, src_mask)]

    def decoder_layers(self, vectors: Tensor, encoded: EncoderOutput) -> list[Tensor]:
        """The input of the output layer if the decoder ended before its first layer, and after each layer.

        Each is (B, T, D). A network whose layers do not share one vector space returns only that of
        `decode_vectors`.
        """
        return [self.decode_vectors(vectors, encoded)]

    def encode(self, src: Tensor, src_mask: Tensor) -> EncoderOutput:
        return self.encode_vectors(self.embed_source(src), src_mask)

    def features(self, batch: Batch) -> Tensor:
        encoded = self.encode(batch.src, batch.src_mask)
        return self.decode_vectors(self.embed_target(batch.tgt_in), encoded)


def append_token(past: Tensor, rows: Tensor | None, new: Tensor) -> Tensor:
    """Append new (R, ..., 1, D/H) to the rows (R,) of past (R', ..., T, D/H), or to all of them."""
    if rows is None:
        return torch.cat((past, new), dim=-2)
    if torch.is_grad_enabled():  # writing in place has no gradient
        return torch.cat((past.index_select(0, rows), new), dim=-2)
    length = past.shape[-2]
    extended = new.new_empty(*new.shape[:-2], length + 1, new.shape[-1])
    torch.index_select(past, 0, rows, out=extended.narrow(-2, 0, length))  # selected and copied at once
    extended.narrow(-2, length, 1).copy_(new)
    return extended


def select_rows(layers: KeyValues, rows: Tensor) -> KeyValues:
    """Copy the rows (R',)."""
    return tuple([layer.index_select(0, rows) for layer in layers])


def newest(layers: KeyValues) -> Tensor:
    """Copy the last position of each of N tensors: (N, R, ..., D/H)."""
    return torch.stack([layer[..., -1, :] for layer in layers])


def join_rows(positions: Sequence[Tensor], rows: Tensor) -> KeyValues:
    """Join the rows (T, R') of T positions, as `newest` returns them, to keys and values."""
    picked = [
        position.index_select(1, selection) for position, selection in zip(positions, rows, strict=True)
    ]
    # One tensor for each layer, as in a step, so that the memory that a step has freed is reused.
    layers = zip(*(position.unbind(0) for position in picked), strict=True)
    return tuple([torch.stack(layer, dim=-2) for layer in layers])


@contextmanager
def without_weights() -> Iterator[None]:
    """Build networks in this block without memory for their weights, and without initial values.

    Drawing values takes longer than reading a file. And to draw values without memory torch would load its
    compiler, which takes two seconds and 70 MB.
    """
    with torch.device("meta"), _NoFirstValues():
        yield


class _NoFirstValues(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "__module__", "") == "torch.nn.init":
            return args[0] if args else kwargs["tensor"]
        return func(*args, **(kwargs or {}))
