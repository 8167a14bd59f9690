"""Attention: alignment scores, masked softmax, and multi-head attention that returns its weights; dropout."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.device import gains_from_fused_attention
from models.networks.base import append_token

PROBABILITY_LEVELS = 1 << 16  # the probability is rounded to a multiple of 1 / 65,536


class Dropout(nn.Module):
    """`nn.Dropout` (Srivastava et al. 2014) with cheap random numbers on a CPU.

    One draw of 64 bits serves four elements there, six times as fast as one each.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        """Set elements to 0 with probability p in training, and scale the others by 1 / (1 - p)."""
        if not self.training or not self.p:
            return x
        if x.device.type != "cpu":
            return F.dropout(x, self.p)
        count = x.numel()
        draws = torch.empty((count + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
        levels = draws.view(torch.int16)[:count].view(x.shape)  # uniform over all 16-bit numbers
        # The comparison writes floats at once: converting bools costs seven times as much.
        mask = torch.ge(
            levels,
            round(self.p * PROBABILITY_LEVELS) - PROBABILITY_LEVELS // 2,
            out=torch.empty(x.shape, dtype=x.dtype),
        )
        return x * mask.mul_(1 / (1 - self.p))


def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Softmax over the last dimension; exactly 0 where `mask` (broadcastable bool) is False."""
    if mask is None:
        return scores.softmax(dim=-1)
    return scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)


def fit_override(override: Tensor, shape: tuple[int, int, int, int], like: Tensor) -> Tensor:
    """Broadcast an override to (R, L, H, S), in the precision of `like`. Raises ValueError if it cannot."""
    try:
        return override.to(like).broadcast_to(shape)
    except RuntimeError:
        raise ValueError(
            f"override must be broadcastable to {shape}: rows, layers, heads, source tokens; "
            f"got {tuple(override.shape)}"
        ) from None


def overridden(weights: Tensor, override: Tensor | None) -> Tensor:
    """Return `override` where it is a number, and `weights` where it is NaN."""
    return weights if override is None else torch.where(override.isnan(), weights, override)


class AlignmentScore(nn.Module):
    """The score of each source position for a decoder state.

    `dot` and `general` are Luong et al. 2015 (section 3.1), `scaled_dot` divides `dot` by the square
    root of the width (Vaswani et al. 2017, section 3.2.1), `additive` is Bahdanau et al. 2015
    (appendix A.1.2). All of them see the state *after* the cell has read the current token, so that
    every step of a target is scored at once in training.
    """

    def __init__(self, kind: str, d_model: int, d_attention: int) -> None:
        super().__init__()
        self.kind = kind
        self.d_model = d_model
        if kind == "general":
            self.key = nn.Linear(d_model, d_model, bias=False)
        if kind == "additive":
            self.key = nn.Linear(d_model, d_attention, bias=False)
            self.query = nn.Linear(d_model, d_attention)
            self.energy = nn.Linear(d_attention, 1, bias=False)

    @property
    def floats_per_pair(self) -> int:
        """The numbers that a pass holds for each pair of a target token and a source token."""
        return 2 * self.query.out_features + 2 if self.kind == "additive" else 2

    def keys(self, memory: Tensor) -> Tensor:
        """The part that depends on the source only and is computed once: (B, S, D) -> (B, S, A)."""
        return self.key(memory) if self.kind in ("general", "additive") else memory

    def forward(self, query: Tensor, keys: Tensor) -> Tensor:
        """Return the scores (R, T, S) of queries (R, T, D) and keys (R, S, A)."""
        if self.kind == "additive":
            pairs = self.query(query).unsqueeze(2) + keys.unsqueeze(1)  # (R, T, S, A)
            scores: Tensor = self.energy(pairs.tanh()).squeeze(-1)
            return scores
        scores = query @ keys.transpose(1, 2)
        return scores / math.sqrt(self.d_model) if self.kind == "scaled_dot" else scores


KeyValue = tuple[Tensor, Tensor]  # (R, H, S, D/H) each; two tensors, so that products read them in place
Past = Tensor  # (R, H, 2, T, D/H): keys and values in one tensor, since they grow and are reordered together


class FoldedSource(NamedTuple):
    """One source sentence for all rows, with the projections multiplied into its keys and values.

    Scores are linear in the decoder's state, and the output is linear in the attention weights, so one
    product each replaces the projections, the heads and their sums.
    """

    keys: Tensor  # (H * S, D)
    offset: Tensor  # (H * S,); keys @ state + offset = scores
    values: Tensor  # (D, H * S); values @ weights + the output layer's bias = output


class MultiHeadAttention(nn.Module):
    """Multi-head scaled dot-product attention (Vaswani et al. 2017, section 3.2.2).

    The subclasses have the projections of its inputs.
    """

    def __init__(self, d_model: int, num_heads: int, dropout: float) -> None:
        super().__init__()
        self.num_heads, self.head_width = num_heads, d_model // num_heads
        self.scale = self.head_width**-0.5
        self.output = nn.Linear(d_model, d_model)
        self.dropout = Dropout(dropout)

    def attend(self, queries: Tensor, key_value: KeyValue, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return the output (R, T, D) and the weights (R, H, T, S).

        queries (R, H, T, D/H), mask broadcastable to (R, H, T, S) bool, None = attend to all.
        """
        keys, values = key_value
        weights = self.weigh(queries, keys, mask)
        return self.mix(self.dropout(weights) if self.training else weights, values), weights

    def weigh(self, queries: Tensor, keys: Tensor, mask: Tensor | None) -> Tensor:
        """The weights of `attend`, (R, H, T, S)."""
        return masked_softmax((queries * self.scale) @ keys.transpose(-1, -2), mask)

    def mix(self, weights: Tensor, values: Tensor) -> Tensor:
        """The output of `attend`, (R, T, D), from weights (R, H, T, S) and values (R, H, S, D/H)."""
        return self._merge(weights @ values)

    def head_outputs(self) -> Tensor:
        """W_O of each head, (H, D/H, D), which `mix` multiplies by the mixed values."""
        weight = self.output.weight
        return weight.view(len(weight), self.num_heads, -1).permute(1, 2, 0)

    def scores(self, queries: Tensor, keys: Tensor) -> Tensor:
        """The scores of few queries (N, T, D/H) and keys (N, S, D/H) before the softmax: (N, T, S)."""
        # The product itself scales (its first argument is ignored, since beta = 0): `queries * scale` would
        # first make a tensor of the number, which takes longer than the multiplication.
        ignored = queries.new_empty(1, 1, 1)
        return torch.baddbmm(ignored, queries, keys.transpose(1, 2), beta=0, alpha=self.scale)

    def attend_in_training(self, queries: Tensor, key_value: KeyValue, mask: Tensor | None) -> Tensor:
        """The output of `attend` without weights, by the fused kernel where that is faster."""
        if not gains_from_fused_attention(queries.device):
            return self.attend(queries, key_value, mask)[0]
        keys, values = key_value
        dropout = self.dropout.p if self.training else 0.0
        return self._merge(F.scaled_dot_product_attention(queries, keys, values, mask, dropout_p=dropout))

    def _merge(self, mixed: Tensor) -> Tensor:
        merged: Tensor = self.output(mixed.transpose(1, 2).flatten(2))
        return merged

    def _split_heads(self, projected: Tensor, parts: int) -> tuple[Tensor, ...]:
        """Split projected vectors by part and head: (R, T, parts * D) -> parts of (R, H, T, D/H)."""
        rows, length, _ = projected.shape
        return projected.view(rows, length, parts, self.num_heads, -1).permute(2, 0, 3, 1, 4).unbind(0)


class SelfAttention(MultiHeadAttention):
    """Self-attention: queries, keys and values come from one sequence, by one product."""

    def __init__(self, d_model: int, num_heads: int, dropout: float) -> None:
        super().__init__(d_model, num_heads, dropout)
        self.query_key_value = nn.Linear(d_model, 3 * d_model)

    def project(self, x: Tensor) -> tuple[Tensor, KeyValue]:
        """Project x (R, T, D) to queries (R, H, T, D/H), keys and values."""
        queries, keys, values = self._split_heads(self.query_key_value(x), 3)
        return queries, (keys, values)

    def step(self, x: Tensor, past: Past, rows: Tensor | None) -> tuple[Tensor, Past, Tensor]:
        """Append one token (R, D) to these rows (R,) of the past, or to all of them.

        Returns the output (R, D), keys and values with the token's, weights (R, H, T).
        """
        projected = self.query_key_value(x).view(-1, 3, self.num_heads, 1, self.head_width)
        extended = append_token(past, rows, projected.narrow(1, 1, 2).transpose(1, 2))
        keys, values = extended.flatten(0, 1).unbind(1)
        weights = self.scores(projected.select(1, 0).flatten(0, 1), keys).softmax(dim=-1)  # (R * H, 1, T)
        mixed = torch.bmm(weights, values).view(-1, self.num_heads * self.head_width)
        return self.output(mixed), extended, weights.view(-1, self.num_heads, weights.shape[2])


class CrossAttention(MultiHeadAttention):
    """Cross-attention: queries come from the target, keys and values from the source."""

    def __init__(self, d_model: int, num_heads: int, dropout: float) -> None:
        super().__init__(d_model, num_heads, dropout)
        self.query = nn.Linear(d_model, d_model)
        self.key_value = nn.Linear(d_model, 2 * d_model)

    def project_memory(self, memory: Tensor) -> KeyValue:
        """The keys and values of a source (R, S, D), computed once."""
        keys, values = self._split_heads(self.key_value(memory), 2)
        return keys.contiguous(), values.contiguous()

    def project(self, x: Tensor) -> Tensor:
        """Project x (R, T, D) to queries (R, H, T, D/H)."""
        return self._split_heads(self.query(x), 1)[0]

    def fold(self, memory: Tensor) -> FoldedSource:
        """Fold one source (S, D) without padding."""
        keys, values = self.key_value(memory).view(len(memory), 2, self.num_heads, -1).permute(1, 2, 0, 3)
        scaled, width = keys * self.scale, keys.shape[2]  # (H, S, D/H), D/H
        query = self.query.weight.view(self.num_heads, width, -1)
        offset = scaled @ self.query.bias.view(self.num_heads, width, 1)
        folded_keys, folded_values = (scaled @ query).flatten(0, 1), values @ self.head_outputs()
        return FoldedSource(folded_keys, offset.flatten(), folded_values.flatten(0, 1).t())

    def step(
        self, x: Tensor, source: KeyValue | FoldedSource, mask: Tensor | None, override: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Attend from one token (R, D) -> output (R, D), weights (R, H, S).

        source: B sentences, each read by R / B consecutive rows. mask (B, 1, 1, S). For override (R, H, S)
        see `overridden`.
        """
        if isinstance(source, FoldedSource):
            scores = F.linear(x, source.keys, source.offset).view(x.shape[0], self.num_heads, -1)
            weights = overridden(scores.softmax(dim=-1), override)
            return F.linear(weights.flatten(1), source.values, self.output.bias), weights
        keys, values = source
        sentences, heads, _, width = keys.shape
        queries = self.query(x).view(sentences, -1, heads, width).transpose(1, 2)
        scores = self.scores(queries.flatten(0, 1), keys.flatten(0, 1)).unflatten(0, (sentences, heads))
        weights = masked_softmax(scores, mask)  # (B, H, R / B, S)
        if override is not None:
            by_sentence = override.unflatten(0, (sentences, -1)).transpose(1, 2)
            weights = overridden(weights, by_sentence)
        mixed = torch.bmm(weights.flatten(0, 1), values.flatten(0, 1)).unflatten(0, (sentences, heads))
        return self.output(_by_row(mixed).flatten(1)), _by_row(weights)


def _by_row(by_sentence: Tensor) -> Tensor:
    """Reorder N values of each row by row instead of by sentence: (B, H, R / B, N) -> (R, H, N)."""
    return by_sentence.transpose(1, 2).flatten(0, 1)


def causal_mask(length: int, device: torch.device) -> Tensor:
    """The mask (T, T) bool by which position t may attend to positions up to t."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()
