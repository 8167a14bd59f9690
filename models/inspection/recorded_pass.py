"""A pass of a Transformer that records the inner values of each attention block."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from models.networks.attention import CrossAttention, KeyValue, MultiHeadAttention, SelfAttention, causal_mask
from models.networks.transformer.layers import DecoderLayer, EncoderLayer, Residual
from models.networks.transformer.model import TransformerModel

CROSS, ENCODER, DECODER = "cross", "encoder", "decoder"  # the last two are self-attention
BlockKey = tuple[str, int]  # CROSS, ENCODER or DECODER, and the index of the layer
# Factors of the attention weights after their softmax, broadcastable to (R, H, T, S). A factor of 0 removes a
# head, or the contribution of a token.
Factors = Mapping[BlockKey, Tensor]


@dataclass(frozen=True)
class AttentionValues:
    """One attention on one text: each head's output is a weighted sum of vectors f(x_j)."""

    weights: Tensor  # (H, T, S)
    values: Tensor | None = None  # (H, S, D/H), W_V x_j + b_V; None if unknown
    outputs: Tensor | None = None  # (H, D/H, D), W_O

    def transform_values(self) -> Tensor | None:
        """f(x_j) = W_O (W_V x_j + b_V) of each head, (H, S, D)."""
        return None if self.values is None or self.outputs is None else self.values @ self.outputs

    def norms(self) -> Tensor | None:
        """||a_ij f(x_j)||, the Euclidean norm, (H, T, S) (Kobayashi et al. 2020)."""
        transformed = self.transform_values()
        return None if transformed is None else self.weights * transformed.norm(dim=-1).unsqueeze(1)

    def parts(self, rows: slice = slice(None)) -> Tensor:
        """sum_h a^h_ij f^h(x_j), the contribution of each token to the chosen of T rows: (T, S, D).

        With the bias of W_O they add up to the attention's output. Raises ValueError.
        """
        transformed = self.transform_values()
        if transformed is None:
            raise ValueError("values and outputs must be known; this attention hides them")
        return torch.einsum("hts,hsd->tsd", self.weights[:, rows], transformed)


@dataclass(frozen=True)
class AttentionBlock:
    """An attention with its residual connection, for one text."""

    attention: AttentionValues
    bias: Tensor  # (D,), that of W_O
    residual: Tensor  # (T, D), the residual
    update: Tensor  # (T, D), the attention's output
    output: Tensor  # (T, D), the block's output: their sum, normalised in a post-norm network
    norm: nn.LayerNorm | None  # applied to the sum; None in a pre-norm network

    def through_norm(self, vectors: Tensor, rows: slice = slice(None)) -> Tensor:
        """Parts (T, N, D) of the input of the layer norm, as parts of the block's output.

        Given the standard deviation of its whole input a layer norm is linear: the transformed parts add up
        to the output without the norm's bias (Kobayashi et al. 2021).
        """
        if self.norm is None:
            return vectors
        total = (self.residual + self.update)[rows]
        deviation = (total.var(dim=-1, unbiased=False) + self.norm.eps).sqrt()
        centred = vectors - vectors.mean(dim=-1, keepdim=True)
        return centred / deviation[:, None, None] * self.norm.weight


@dataclass(frozen=True)
class RecordedPass:
    """The recorded pass of one source and prefix."""

    blocks: Mapping[BlockKey, AttentionBlock]
    features: Tensor  # (T, D), the output layer's inputs

    def of_kind(self, kind: str) -> list[AttentionBlock]:
        """All blocks of one kind, first layer first."""
        return [block for (block_kind, _), block in self.blocks.items() if block_kind == kind]


def record_pass(model: TransformerModel, source: Tensor, prefix: Tensor) -> RecordedPass:
    """Record a pass of embedded source (1, S, D) and prefix (1, T, D), without padding."""
    blocks: dict[BlockKey, AttentionBlock] = {}
    walk = _Walk(model, {}, blocks)
    features = walk.decode(prefix, walk.encode(source))
    return RecordedPass(blocks, features[0])


def features_under_factors(
    model: TransformerModel, source: Tensor, prefix: Tensor, factors: Factors
) -> Tensor:
    """The output layer's inputs for R rows that differ only in their factors: (R, T, D).

    source (1, S, D) and prefix (1, T, D). The rows are one until the first factor; without factors R is 1.
    """
    walk = _Walk(model, factors, None)
    return walk.decode(prefix, walk.encode(source))


class _Walk:
    """A pass through all layers that applies the factors and records the blocks."""

    def __init__(
        self, model: TransformerModel, factors: Factors, blocks: dict[BlockKey, AttentionBlock] | None
    ) -> None:
        self.model, self.factors, self.blocks = model, factors, blocks

    def encode(self, source: Tensor) -> Tensor:
        x = self.model.at_positions(source, 0, source.shape[1])
        for number, layer in enumerate(cast("list[EncoderLayer]", self.model.encoder)):
            x = layer.transform(self._self_attend((ENCODER, number), layer, x, None))
        normalised: Tensor = self.model.encoder_norm(x)
        return normalised

    def decode(self, prefix: Tensor, memory: Tensor) -> Tensor:
        x = self.model.at_positions(prefix, 0, prefix.shape[1])
        causal = causal_mask(x.shape[1], x.device)
        for number, layer in enumerate(cast("list[DecoderLayer]", self.model.decoder)):
            x = self._self_attend((DECODER, number), layer, x, causal)
            x = layer.transform(self._cross_attend((CROSS, number), layer, x, memory))
        normalised: Tensor = self.model.decoder_norm(x)
        return normalised

    def _self_attend(
        self, key: BlockKey, layer: EncoderLayer | DecoderLayer, x: Tensor, mask: Tensor | None
    ) -> Tensor:
        attention, residual = layer.self_attention, layer.residual_self
        assert isinstance(attention, SelfAttention)
        queries, key_value = attention.project(residual.enter(x))
        weights = attention.weigh(queries, key_value[0], mask)
        return self._mix(key, attention, residual, x, (weights, key_value[1]))

    def _cross_attend(self, key: BlockKey, layer: DecoderLayer, x: Tensor, memory: Tensor) -> Tensor:
        attention, residual = layer.cross_attention, layer.residual_cross
        assert isinstance(attention, CrossAttention)
        keys, values = attention.project_memory(memory)
        weights = attention.weigh(attention.project(residual.enter(x)), keys, None)
        return self._mix(key, attention, residual, x, (weights, values))

    def _mix(
        self, key: BlockKey, attention: MultiHeadAttention, residual: Residual, x: Tensor, mixed: KeyValue
    ) -> Tensor:
        weights, values = mixed
        factor = self.factors.get(key)
        update = attention.mix(weights if factor is None else weights * factor, values)
        residual_update = residual.leave(x, update)
        if self.blocks is not None:
            self.blocks[key] = AttentionBlock(
                AttentionValues(weights[0], values[0], attention.head_outputs()),
                attention.output.bias,
                x[0],
                update[0],
                residual_update[0],
                None if residual.pre_norm else residual.norm,
            )
        return residual_update
