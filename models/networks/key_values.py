"""Keys and values of all layers, as decoder states keep them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

KeyValues = tuple[Tensor, ...]  # each (R, ..., T, D/H): rows first, tokens last but one


def grown(past: Tensor, rows: Tensor | None, new: Tensor) -> Tensor:
    """The rows (R,) of past (R', ..., T, D/H), or all of them, with new (R, ..., 1, D/H) behind each."""
    if rows is None:
        return torch.cat((past, new), dim=-2)
    if torch.is_grad_enabled():  # what is written in place has no gradient
        return torch.cat((past.index_select(0, rows), new), dim=-2)
    length = past.shape[-2]
    known = new.new_empty(*new.shape[:-2], length + 1, new.shape[-1])
    torch.index_select(past, 0, rows, out=known.narrow(-2, 0, length))  # both in one copy
    known.narrow(-2, length, 1).copy_(new)
    return known


def selected(layers: KeyValues, rows: Tensor) -> KeyValues:
    """Copies of the rows (R',)."""
    return tuple([layer.index_select(0, rows) for layer in layers])


def first_rows(layers: KeyValues, count: int) -> KeyValues:
    """Views of the first rows."""
    return tuple([layer[:count] for layer in layers])


def newest(layers: KeyValues) -> Tensor:
    """(N, R, ..., D/H): a copy of the last position of each of N tensors."""
    return torch.stack([layer[..., -1, :] for layer in layers])


def joined(positions: Sequence[Tensor], rows: Tensor) -> KeyValues:
    """T positions as `newest` gives them, of each the rows (T, R'), as keys and values again."""
    picked = [position.index_select(1, chosen) for position, chosen in zip(positions, rows, strict=True)]
    # Tensors as large as those of a step, not all in one: what a step has freed then has room for them.
    return tuple([torch.stack(item, dim=-2) for item in zip(*(x.unbind(0) for x in picked), strict=True)])
