"""From what each layer mixes to what reaches the last: products of the layers' shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor


class Shares(NamedTuple):
    """How much of each of T places of a decoder comes from where; the rows of both add up to 1."""

    source: Tensor  # (T, S)
    prefix: Tensor  # (T, T)


class DecoderLayerShares(NamedTuple):
    """How a decoder layer mixes; each row of `own` adds up to 1, and so do those of `cross` and `kept`."""

    own: Tensor  # (T, T), by self-attention and what goes past it
    cross: Tensor  # (T, S), by cross-attention
    kept: Tensor  # (T,), what goes past cross-attention


def roll_out(layers: Sequence[Tensor]) -> list[Tensor]:
    """Of an encoder, after each layer: shares (S, S) in the tokens (Abnar and Zuidema 2020)."""
    after: list[Tensor] = []
    for layer in layers:
        after.append(layer @ after[-1] if after else layer)
    return after


def roll_out_decoder(layers: Sequence[DecoderLayerShares], encoder: Tensor) -> list[Shares]:
    """After each layer, of a source of which the memory has these shares (S, S).

    What cross-attention takes is of the source as far as the encoder has mixed it; what goes past is of what
    the layer before had (Ferrando et al. 2022).
    """
    length, size = layers[0].cross.shape
    eye = torch.eye(length, dtype=encoder.dtype, device=encoder.device)
    shares, after = Shares(encoder.new_zeros(length, size), eye), []
    for layer in layers:
        kept = layer.kept.unsqueeze(1) * layer.own
        shares = Shares(layer.cross @ encoder + kept @ shares.source, kept @ shares.prefix)
        after.append(shares)
    return after
