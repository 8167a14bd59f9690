"""Keys and values of all layers, as decoder states keep them."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from models.networks.attention import KeyValue

KeyValues = tuple[KeyValue, ...]  # L pairs of (R, H, T, D/H)


def selected(layers: KeyValues, rows: Tensor) -> KeyValues:
    """Copies of the rows (R',)."""
    return tuple((keys.index_select(0, rows), values.index_select(0, rows)) for keys, values in layers)


def first_rows(layers: KeyValues, count: int) -> KeyValues:
    """Views of the first rows; the very same object if these are all."""
    if not layers or len(layers[0][0]) == count:
        return layers
    return tuple((keys[:count], values[:count]) for keys, values in layers)


def newest(layers: KeyValues) -> Tensor:
    """(2L, R, H, D/H): a copy of the last position, for each layer its keys, then its values."""
    return torch.stack([tensor[:, :, -1] for pair in layers for tensor in pair])


def joined(positions: Sequence[Tensor], rows: Tensor) -> KeyValues:
    """T positions as `newest` gives them, of each the rows (T, R'), as keys and values again."""
    picked = [position.index_select(1, chosen) for position, chosen in zip(positions, rows, strict=True)]
    # Tensors as large as those of a step, not all in one: what a step has freed then has room for them.
    tensors = [torch.stack(each, dim=2) for each in zip(*(x.unbind(0) for x in picked), strict=True)]
    return tuple(zip(tensors[::2], tensors[1::2], strict=True))
