"""Integrated gradients: the slopes on the whole way from no token at all to the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.inspection.methods.method import Attribution, Method

if TYPE_CHECKING:
    from models.inspection.question import Asked

POINTS = (24, 48)  # on the way; more where the sum is not yet right
ENOUGH = 1e-3  # nats
AT_ONCE = 24  # points in one pass


def integrated_gradients(asked: Asked) -> Attribution:
    """(e - b) . sum_k w_k dF(b + a_k (e - b)), by Gauss and Legendre's points a_k and weights w_k.

    b, where the way begins, is the zero vector for every token, source and prefix together. The scores add
    up to F(e) - F(b); `gap` is what is lacking (section 3, "completeness").
    """
    import torch

    with torch.no_grad():
        nothing = float(asked.of(*map(torch.zeros_like, asked.vectors)))
    for points in POINTS:
        source, prefix = _along(asked, points)
        gap = abs(sum(source) + sum(prefix) - (asked.value - nothing))
        if gap <= ENOUGH:
            break
    return Attribution("integrated_gradients", source, prefix, gap)


def _along(asked: Asked, points: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Scores of the source's P places and the prefix's T tokens by so many points."""
    import numpy as np
    import torch

    places, weights = np.polynomial.legendre.leggauss(points)  # on [-1, 1]
    like = asked.vectors[0]
    alphas = torch.as_tensor((places + 1) / 2).to(like).view(-1, 1, 1)
    shares = torch.as_tensor(weights / 2).to(like).view(-1, 1, 1)
    sums = [torch.zeros_like(vectors[0]) for vectors in asked.vectors]
    for some, share in zip(alphas.split(AT_ONCE), shares.split(AT_ONCE), strict=True):
        slopes = asked.gradients(*(some * vectors for vectors in asked.vectors))
        sums = [total + (share * slope).sum(dim=0) for total, slope in zip(sums, slopes, strict=True)]
    source, prefix = (
        (vectors[0] * total).sum(dim=-1) for vectors, total in zip(asked.vectors, sums, strict=True)
    )
    return tuple((asked.places.to(source) @ source).tolist()), tuple(prefix.tolist())


INTEGRATED_GRADIENTS = Method(
    "integrated_gradients",
    "integrated gradients",
    place=60,
    paper="Sundararajan et al. 2017",
    signed=True,
    attribute=integrated_gradients,
    gradients=True,
)
