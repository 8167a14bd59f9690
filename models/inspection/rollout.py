"""Attention rollout: the share of each token in a layer, as a product of the shares of all layers before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor


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
