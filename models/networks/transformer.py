"""Transformer encoder-decoder with a key-value cache as its decoder state."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.batch import Batch
from models.networks.attention import CrossAttention, KeyValue, SelfAttention, causal_mask
from models.networks.base import DecoderState, EncoderOutput, Seq2SeqModel, StepOutput

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}


@dataclass(frozen=True)
class TransformerState(DecoderState):
    """Keys and values of every layer: of the target so far, and of the source."""

    target: tuple[KeyValue, ...]  # L pairs of (R, H, T, D/H)
    source: tuple[KeyValue, ...]  # L pairs of (R, H, S, D/H)
    mask: Tensor | None  # (R, S) bool; None if no source is padded

    @property
    def length(self) -> int:
        """Target tokens read so far."""
        return self.target[0][0].shape[2]

    def reorder(self, rows: Tensor, same_source: bool = False) -> TransformerState:
        """See `DecoderState.reorder`."""
        target = _selected(self.target, rows)
        if same_source:
            return TransformerState(target, self.source, self.mask)
        mask = None if self.mask is None else self.mask.index_select(0, rows)
        return TransformerState(target, _selected(self.source, rows), mask)


def _selected(layers: tuple[KeyValue, ...], rows: Tensor) -> tuple[KeyValue, ...]:
    return tuple((keys.index_select(0, rows), values.index_select(0, rows)) for keys, values in layers)


class FeedForward(nn.Module):
    """The position-wise feed-forward network (Vaswani et al. 2017, section 3.3)."""

    def __init__(self, d_model: int, d_ff: int, activation: str, dropout: float) -> None:
        super().__init__()
        self.expand = nn.Linear(d_model, d_ff)
        self.contract = nn.Linear(d_ff, d_model)
        self.activation = ACTIVATIONS[activation]
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """(..., D) -> (..., D)."""
        hidden = self.activation(self.expand(x))
        contracted: Tensor = self.contract(self.dropout(hidden) if self.training else hidden)
        return contracted


class Residual(nn.Module):
    """x + f(norm(x)) in a pre-norm network (Xiong et al. 2020), norm(x + f(x)) in a post-norm one."""

    def __init__(self, d_model: int, pre_norm: bool, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.pre_norm = pre_norm
        self.dropout = nn.Dropout(dropout)

    def enter(self, x: Tensor) -> Tensor:
        """What the sublayer reads."""
        entered: Tensor = self.norm(x) if self.pre_norm else x
        return entered

    def leave(self, x: Tensor, update: Tensor) -> Tensor:
        """What the sublayer's reader gets."""
        total = x + (self.dropout(update) if self.training else update)
        left: Tensor = total if self.pre_norm else self.norm(total)
        return left


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward."""

    def __init__(
        self, d_model: int, num_heads: int, d_ff: int, activation: str, pre_norm: bool, dropout: float
    ):
        super().__init__()
        self.self_attention = SelfAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, activation, dropout)
        self.residual_self = Residual(d_model, pre_norm, dropout)
        self.residual_feed_forward = Residual(d_model, pre_norm, dropout)

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor | None]:
        """x (B, S, D), mask (B, 1, 1, S) -> (B, S, D), attention (B, H, S, S) unless training."""
        queries, key_value = self.self_attention.project(self.residual_self.enter(x))
        if self.training:
            update, weights = self.self_attention.attend_in_training(queries, key_value, mask), None
        else:
            update, weights = self.self_attention.attend(queries, key_value, mask)
        return self._transform(self.residual_self.leave(x, update)), weights

    def _transform(self, x: Tensor) -> Tensor:
        residual = self.residual_feed_forward
        return residual.leave(x, self.feed_forward(residual.enter(x)))


@dataclass(frozen=True)
class LayerOutput:
    """What a decoder layer returns."""

    x: Tensor  # (R, T, D)
    target: KeyValue  # of the target so far
    self_attention: Tensor | None  # (R, H, T, T)
    cross_attention: Tensor | None  # (R, H, T, S)


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention, feed-forward."""

    def __init__(
        self, d_model: int, num_heads: int, d_ff: int, activation: str, pre_norm: bool, dropout: float
    ):
        super().__init__()
        self.self_attention = SelfAttention(d_model, num_heads, dropout)
        self.cross_attention = CrossAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, activation, dropout)
        self.residual_self = Residual(d_model, pre_norm, dropout)
        self.residual_cross = Residual(d_model, pre_norm, dropout)
        self.residual_feed_forward = Residual(d_model, pre_norm, dropout)

    def forward(
        self, x: Tensor, past: KeyValue | None, causal: Tensor | None, source: KeyValue, mask: Tensor | None
    ) -> LayerOutput:
        """x (R, T, D), past: the tokens before x, causal (T, T), source, mask (R, 1, 1, S)."""
        queries, target = self.self_attention.project(self.residual_self.enter(x))
        if past is not None:
            target = torch.cat((past[0], target[0]), dim=2), torch.cat((past[1], target[1]), dim=2)
        if self.training:
            update = self.self_attention.attend_in_training(queries, target, causal)
            x = self.residual_self.leave(x, update)
            queries = self.cross_attention.project(self.residual_cross.enter(x))
            update = self.cross_attention.attend_in_training(queries, source, mask)
            return LayerOutput(self._transform(self.residual_cross.leave(x, update)), target, None, None)
        update, self_weights = self.self_attention.attend(queries, target, causal)
        x = self.residual_self.leave(x, update)
        queries = self.cross_attention.project(self.residual_cross.enter(x))
        update, cross_weights = self.cross_attention.attend(queries, source, mask)
        x = self._transform(self.residual_cross.leave(x, update))
        return LayerOutput(x, target, self_weights, cross_weights)

    def _transform(self, x: Tensor) -> Tensor:
        residual = self.residual_feed_forward
        return residual.leave(x, self.feed_forward(residual.enter(x)))


class TransformerModel(Seq2SeqModel):
    """The Transformer (Vaswani et al. 2017), pre-norm by default, with sinusoidal positions."""

    positions: Tensor  # (max_positions, D)

    def __init__(
        self,
        *,
        vocab_size: int,
        pad_id: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        num_layers: int,
        num_decoder_layers: int,
        activation: str,
        pre_norm: bool,
        dropout: float,
        share_embeddings: bool,
        tie_output: bool,
        max_positions: int,
    ) -> None:
        super().__init__()
        self.vocab_size = vocab_size
        self.max_positions = max_positions
        self.tgt_embedding = nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        self.src_embedding = (
            self.tgt_embedding if share_embeddings else nn.Embedding(vocab_size, d_model, padding_idx=pad_id)
        )
        self.scale = math.sqrt(d_model)
        self.register_buffer("positions", sinusoidal_positions(max_positions, d_model), persistent=False)
        shape = (d_model, num_heads, d_ff, activation, pre_norm, dropout)
        self.encoder = nn.ModuleList(EncoderLayer(*shape) for _ in range(num_layers))
        self.decoder = nn.ModuleList(DecoderLayer(*shape) for _ in range(num_decoder_layers))
        # A post-norm network has normalised already; a pre-norm one must do so once at its end.
        self.encoder_norm = nn.LayerNorm(d_model) if pre_norm else nn.Identity()
        self.decoder_norm = nn.LayerNorm(d_model) if pre_norm else nn.Identity()
        self.output = nn.Linear(d_model, vocab_size)
        self.dropout = nn.Dropout(dropout)
        self._initialise(pad_id)
        if tie_output:
            self.output.weight = self.tgt_embedding.weight

    @property
    def _decoder_layers(self) -> Iterable[DecoderLayer]:
        return cast("Iterable[DecoderLayer]", self.decoder)  # nn.ModuleList forgets what it holds

    def _initialise(self, pad_id: int) -> None:
        for name, parameter in self.named_parameters():
            if "embedding" in name:
                nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)
                nn.init.zeros_(parameter.data[pad_id])
            elif parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def _embed(self, tokens: Tensor, embedding: nn.Embedding, start: int = 0) -> Tensor:
        end = start + tokens.shape[1]
        if end > self.positions.shape[0]:
            raise ValueError(f"this network reads at most {self.positions.shape[0]} tokens; got {end}")
        embedded: Tensor = embedding(tokens) * self.scale + self.positions[start:end]
        return self.dropout(embedded) if self.training else embedded

    def encode(self, src: Tensor, src_mask: Tensor) -> EncoderOutput:
        """See `Seq2SeqModel.encode`. Self-attention is returned unless training."""
        x = self._embed(src, self.src_embedding)
        weights = []
        for layer in self.encoder:
            x, layer_weights = layer(x, src_mask[:, None, None])
            weights.append(layer_weights)
        attention = None if self.training else torch.stack(weights, dim=1)
        return EncoderOutput(self.encoder_norm(x), src_mask, self_attention=attention)

    def initial_state(self, encoded: EncoderOutput) -> TransformerState:
        """See `Seq2SeqModel.initial_state`: the source's keys and values are projected once, here."""
        source = tuple(layer.cross_attention.project_memory(encoded.memory) for layer in self._decoder_layers)
        empty = source[0][0][:, :, :0]
        mask = None if bool(encoded.mask.all()) else encoded.mask
        return TransformerState(tuple((empty, empty) for _ in source), source, mask)

    def step(self, tokens: Tensor, state: DecoderState) -> StepOutput:
        """See `Seq2SeqModel.step`."""
        assert isinstance(state, TransformerState)
        x = self._embed(tokens.unsqueeze(1), self.tgt_embedding, start=state.length)
        mask = None if state.mask is None else state.mask[:, None, None]
        outputs = []
        for layer, past, source in zip(self._decoder_layers, state.target, state.source, strict=True):
            outputs.append(layer(x, past, None, source, mask))
            x = outputs[-1].x
        features = self.decoder_norm(x)[:, 0]
        after = TransformerState(tuple(output.target for output in outputs), state.source, state.mask)
        cross = torch.stack([output.cross_attention[:, :, 0] for output in outputs], dim=1)
        own = torch.stack([output.self_attention[:, :, 0] for output in outputs], dim=1)
        return StepOutput(self.project(features), after, features, cross, own)

    def features(self, batch: Batch) -> Tensor:
        """See `Seq2SeqModel.features`."""
        encoded = self.encode(batch.src, batch.src_mask)
        x = self._embed(batch.tgt_in, self.tgt_embedding)
        causal = causal_mask(x.shape[1], x.device)
        mask = encoded.mask[:, None, None]
        for layer in self._decoder_layers:
            source = layer.cross_attention.project_memory(encoded.memory)
            x = layer(x, None, causal, source, mask).x
        normalised: Tensor = self.decoder_norm(x)
        return normalised

    def project(self, features: Tensor) -> Tensor:
        """See `Seq2SeqModel.project`."""
        logits: Tensor = self.output(features)
        return logits


def sinusoidal_positions(length: int, d_model: int) -> Tensor:
    """(length, D): sines in the first half, cosines in the second (Vaswani et al. 2017, section 3.5).

    The paper interleaves them; halves are a permutation of the same features and what Marian uses.
    """
    rates = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10_000.0) / d_model))
    angles = torch.arange(length).unsqueeze(1) * rates
    return torch.cat((angles.sin(), angles.cos()), dim=1)
