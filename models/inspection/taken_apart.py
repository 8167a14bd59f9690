"""A Transformer taken apart: what each of its attentions mixes for one text, and what lies around it."""

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
Place = tuple[str, int]  # one of these, and a layer, from 0
# What the weights of an attention are multiplied by after their softmax, broadcastable to (R, H, T, S). A
# head whose factor is 0 adds nothing; a token whose factor is 0 is looked at and gives nothing.
Factors = Mapping[Place, Tensor]


@dataclass(frozen=True)
class Mixing:
    """What one attention does with one text: each head adds up vectors f(x_j), each times a weight."""

    weights: Tensor  # (H, T, S)
    values: Tensor | None = None  # (H, S, D/H), W_V x_j + b_V; None where they cannot be had
    outputs: Tensor | None = None  # (H, D/H, D), W_O

    def transformed(self) -> Tensor | None:
        """f(x_j) = W_O (W_V x_j + b_V) of each head, (H, S, D)."""
        return None if self.values is None or self.outputs is None else self.values @ self.outputs

    def norms(self) -> Tensor | None:
        """||a_ij f(x_j)||, the Euclidean norm, (H, T, S) (Kobayashi et al. 2020)."""
        transformed = self.transformed()
        return None if transformed is None else self.weights * transformed.norm(dim=-1).unsqueeze(1)

    def parts(self, rows: slice = slice(None)) -> Tensor:
        """sum_h a^h_ij f^h(x_j), what each token gives to these of the T rows: (T, S, D).

        With the bias of W_O they add up to the attention's output. Raises ValueError.
        """
        transformed = self.transformed()
        if transformed is None:
            raise ValueError("values and outputs must be known; this attention hides them")
        return torch.einsum("hts,hsd->tsd", self.weights[:, rows], transformed)


@dataclass(frozen=True)
class AttentionBlock:
    """An attention with its residual connection, for one text."""

    mixing: Mixing
    bias: Tensor  # (D,), that of W_O
    beside: Tensor  # (T, D), what goes past the attention
    update: Tensor  # (T, D), the attention's output
    left: Tensor  # (T, D), the block's output: their sum, normalised in a post-norm network
    norm: nn.LayerNorm | None  # what the sum goes through; None in a pre-norm network

    def through_norm(self, vectors: Tensor, rows: slice = slice(None)) -> Tensor:
        """Parts (T, N, D) of the sums of these rows as they are in the block's output.

        A layer norm is linear once the deviation of its whole input is known: parts that add up to it
        add up to the output less the norm's bias (Kobayashi et al. 2021).
        """
        if self.norm is None:
            return vectors
        total = (self.beside + self.update)[rows]
        deviation = (total.var(dim=-1, unbiased=False) + self.norm.eps).sqrt()
        centred = vectors - vectors.mean(dim=-1, keepdim=True)
        return centred / deviation[:, None, None] * self.norm.weight


@dataclass(frozen=True)
class TakenApart:
    """One pass over one text, source and prefix, with all that lies between."""

    blocks: Mapping[Place, AttentionBlock]
    features: Tensor  # (T, D), what the output layer sees

    def of_kind(self, kind: str) -> list[AttentionBlock]:
        """All blocks of one kind, first layer first."""
        return [block for (known, _), block in self.blocks.items() if known == kind]


def take_apart(model: TransformerModel, source: Tensor, prefix: Tensor) -> TakenApart:
    """source (1, S, D) and prefix (1, T, D) as the network embeds them, nothing of them padding."""
    blocks: dict[Place, AttentionBlock] = {}
    walk = _Walk(model, {}, blocks)
    features = walk.decode(prefix, walk.encode(source))
    return TakenApart(blocks, features[0])


def factored_features(model: TransformerModel, source: Tensor, prefix: Tensor, factors: Factors) -> Tensor:
    """What the output layer sees of R rows that differ in their factors alone: (R, T, D).

    source (1, S, D) and prefix (1, T, D); rows part where the first factors are met, so R may be 1.
    """
    walk = _Walk(model, factors, None)
    return walk.decode(prefix, walk.encode(source))


class _Walk:
    """Through all layers, at each attention looking up its factors and writing down what it does."""

    def __init__(
        self, model: TransformerModel, factors: Factors, blocks: dict[Place, AttentionBlock] | None
    ) -> None:
        self.model, self.factors, self.blocks = model, factors, blocks

    def encode(self, source: Tensor) -> Tensor:
        x = self.model.at_positions(source, 0, source.shape[1])
        for number, layer in enumerate(cast("list[EncoderLayer]", self.model.encoder)):
            x = layer.transform(self._look_around((ENCODER, number), layer, x, None))
        normalised: Tensor = self.model.encoder_norm(x)
        return normalised

    def decode(self, prefix: Tensor, memory: Tensor) -> Tensor:
        x = self.model.at_positions(prefix, 0, prefix.shape[1])
        causal = causal_mask(x.shape[1], x.device)
        for number, layer in enumerate(cast("list[DecoderLayer]", self.model.decoder)):
            x = self._look_around((DECODER, number), layer, x, causal)
            x = layer.transform(self._look_across((CROSS, number), layer, x, memory))
        normalised: Tensor = self.model.decoder_norm(x)
        return normalised

    def _look_around(
        self, place: Place, layer: EncoderLayer | DecoderLayer, x: Tensor, mask: Tensor | None
    ) -> Tensor:
        attention, residual = layer.self_attention, layer.residual_self
        assert isinstance(attention, SelfAttention)
        queries, key_value = attention.project(residual.enter(x))
        weights = attention.weigh(queries, key_value[0], mask)
        return self._mix(place, attention, residual, x, (weights, key_value[1]))

    def _look_across(self, place: Place, layer: DecoderLayer, x: Tensor, memory: Tensor) -> Tensor:
        attention, residual = layer.cross_attention, layer.residual_cross
        assert isinstance(attention, CrossAttention)
        keys, values = attention.project_memory(memory)
        weights = attention.weigh(attention.project(residual.enter(x)), keys, None)
        return self._mix(place, attention, residual, x, (weights, values))

    def _mix(
        self, place: Place, attention: MultiHeadAttention, residual: Residual, x: Tensor, mixed: KeyValue
    ) -> Tensor:
        weights, values = mixed
        factor = self.factors.get(place)
        update = attention.mix(weights if factor is None else weights * factor, values)
        left = residual.leave(x, update)
        if self.blocks is not None:
            self.blocks[place] = AttentionBlock(
                Mixing(weights[0], values[0], attention.head_outputs()),
                attention.output.bias,
                x[0],
                update[0],
                left[0],
                None if residual.pre_norm else residual.norm,
            )
        return left
