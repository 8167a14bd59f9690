"""The keys and values of all layers in a decoder state."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

KeyValues = tuple[Tensor, ...]  # (R, ..., T, D/H) each


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


def first_rows(layers: KeyValues, count: int) -> KeyValues:
    """Return views of the first rows."""
    return tuple([layer[:count] for layer in layers])


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
