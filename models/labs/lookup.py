"""An embedding as a product of matrices: one-hot rows times a table, and the equal lookup.

Shapes: N ids, V rows of the table, E dimensions. `padding_idx` is that of `torch.nn.Embedding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F


@dataclass(frozen=True)
class LookedUp:
    """The results of both ways, and their costs."""

    difference: float  # the largest difference between the product and the rows of the table
    gradients: Tensor  # (V,), the norm of each row's gradient
    multiplications: int  # multiplications in the product
    copied: int  # numbers that the lookup copies; it needs no multiplication


def one_hot(ids: Sequence[int], rows: int) -> Tensor:
    """Return a row for each id, 1 at the id, else 0: (N, rows). Raises ValueError for an id without a row."""
    if not all(0 <= item < rows for item in ids):
        raise ValueError(f"ids must be from 0 to {rows - 1}; got {list(ids)}")
    return F.one_hot(torch.tensor(list(ids)), rows).float()


def gradient(table: Tensor, ids: Sequence[int], padding: int) -> Tensor:
    """Return the gradient (V, E) of half the sum of squares of all looked-up vectors, by the table.

    The gradient by one vector is the vector itself. So the gradient of a row is the row times the number of
    its lookups. The row `padding` has no gradient.
    """
    with torch.inference_mode(mode=False), torch.enable_grad():
        weights = table.detach().clone().requires_grad_()
        vectors = F.embedding(torch.tensor(list(ids)), weights, padding_idx=padding)
        (result,) = torch.autograd.grad(vectors.square().sum() / 2, weights)
    return result


def looked_up(table: Tensor, ids: Sequence[int], padding: int) -> LookedUp:
    """Look up both ways in a table (V, E). Raises ValueError for an id that it does not have."""
    rows, dimensions = table.shape
    by_product = one_hot(ids, rows) @ table
    by_lookup = table[torch.tensor(list(ids))]
    return LookedUp(
        difference=float((by_product - by_lookup).abs().max()),
        gradients=gradient(table, ids, padding).norm(dim=1),
        multiplications=len(ids) * rows * dimensions,
        copied=len(ids) * dimensions,
    )


def facts_of(
    table: Tensor, ids: Sequence[int], padding: int, about: int, result: LookedUp
) -> dict[str, float | str]:
    """Return the numbers of both ways for the `ids` of a text, and the lengths of two rows of the table."""
    return {
        "tokens": len(ids),
        "distinct": len(set(ids)),
        "vocabulary": table.shape[0],
        "dimensions": table.shape[1],
        "difference": result.difference or 0,
        "multiplications": result.multiplications,
        "copied": result.copied,
        "rows_with_gradient": int(result.gradients.count_nonzero()),
        "pad_gradient": float(result.gradients[padding]) or 0,
        "pad_length": float(table[padding].norm()) or 0,
        "length": float(table[about].norm()),
    }
