"""Layers of the Transformer: feed-forward, residual connection, encoder layer, decoder layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.networks.attention import CrossAttention, Dropout, FoldedSource, KeyValue, Past, SelfAttention
from models.networks.transformer.config import TransformerConfig

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu, "swish": F.silu}


def pass_bytes(layers: int, heads: int, width: int, source: int, target: int) -> int:
    """The bytes that a pass stores in the encoder's and the decoder's layers together.

    Each layer holds its weights of attention and their logarithms, and some sixteen vectors for each token.
    """
    tokens = source + target
    return 4 * layers * tokens * (2 * heads * tokens + 16 * width)


class FeedForward(nn.Module):
    """The position-wise feed-forward network (Vaswani et al. 2017, section 3.3)."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.expand = nn.Linear(config.d_model, config.d_ff)
        self.contract = nn.Linear(config.d_ff, config.d_model)
        self.activation = ACTIVATIONS[config.activation]
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Apply both layers: (..., D) -> (..., D)."""
        hidden = self.activation(self.expand(x))
        contracted: Tensor = self.contract(self.dropout(hidden) if self.training else hidden)
        return contracted


class Residual(nn.Module):
    """x + f(norm(x)) in a pre-norm network (Xiong et al. 2020), norm(x + f(x)) in a post-norm one."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(config.d_model)
        self.pre_norm = config.pre_norm
        self.dropout = Dropout(config.dropout)

    def enter(self, x: Tensor) -> Tensor:
        """The input of the sublayer."""
        return self._normalise(x) if self.pre_norm else x

    def leave(self, x: Tensor, update: Tensor) -> Tensor:
        """The output of the residual block."""
        total = x + (self.dropout(update) if self.training else update)
        return total if self.pre_norm else self._normalise(total)

    def _normalise(self, x: Tensor) -> Tensor:
        # The function avoids the call of the module, which costs more than the sum for a single row.
        norm = self.norm
        return torch.layer_norm(x, norm.normalized_shape, norm.weight, norm.bias, norm.eps)


class TransformerLayer(nn.Module):
    """The feed-forward end of an encoder or decoder layer."""

    feed_forward: FeedForward
    residual_feed_forward: Residual

    def transform(self, x: Tensor) -> Tensor:
        """Apply the feed-forward network with its residual: (..., D) -> (..., D)."""
        residual = self.residual_feed_forward
        return residual.leave(x, self.feed_forward(residual.enter(x)))


class EncoderLayer(TransformerLayer):
    """Self-attention, then feed-forward."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = SelfAttention(config.d_model, config.num_heads, config.dropout)
        self.feed_forward = FeedForward(config)
        self.residual_self = Residual(config)
        self.residual_feed_forward = Residual(config)

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor | None]:
        """Return (B, S, D), and attention (B, H, S, S) unless training: x (B, S, D), mask (B, 1, 1, S)."""
        queries, key_value = self.self_attention.project(self.residual_self.enter(x))
        if self.training:
            update, weights = self.self_attention.attend_in_training(queries, key_value, mask), None
        else:
            update, weights = self.self_attention.attend(queries, key_value, mask)
        return self.transform(self.residual_self.leave(x, update)), weights


class LayerStep(NamedTuple):
    """The result of a decoder layer for one more token."""

    x: Tensor  # (R, D)
    target: Past  # the target so far
    self_attention: Tensor  # (R, H, T)
    cross_attention: Tensor  # (R, H, S)


class DecoderLayer(TransformerLayer):
    """Masked self-attention, cross-attention, feed-forward."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = SelfAttention(config.d_model, config.num_heads, config.dropout)
        self.cross_attention = CrossAttention(config.d_model, config.num_heads, config.dropout)
        self.feed_forward = FeedForward(config)
        self.residual_self = Residual(config)
        self.residual_cross = Residual(config)
        self.residual_feed_forward = Residual(config)

    def forward(self, x: Tensor, causal: Tensor, source: KeyValue, mask: Tensor) -> Tensor:
        """Run all positions at once: x (R, T, D), causal (T, T), mask (R, 1, 1, S) -> (R, T, D)."""
        queries, target = self.self_attention.project(self.residual_self.enter(x))
        x = self.residual_self.leave(x, self.self_attention.attend_in_training(queries, target, causal))
        queries = self.cross_attention.project(self.residual_cross.enter(x))
        x = self.residual_cross.leave(x, self.cross_attention.attend_in_training(queries, source, mask))
        return self.transform(x)

    def step(
        self,
        x: Tensor,
        past: Past,
        rows: Tensor | None,
        source: KeyValue | FoldedSource,
        mask: Tensor | None,
        override: Tensor | None,
    ) -> LayerStep:
        """Read one more token x (R, D); the other arguments are those of the two attentions."""
        update, target, self_weights = self.self_attention.step(self.residual_self.enter(x), past, rows)
        x = self.residual_self.leave(x, update)
        update, cross = self.cross_attention.step(self.residual_cross.enter(x), source, mask, override)
        return LayerStep(self.transform(self.residual_cross.leave(x, update)), target, self_weights, cross)
