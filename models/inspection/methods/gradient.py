"""The gradient of the explained value F with respect to the vector of each token, also along a path."""

from __future__ import annotations

import numpy as np
import torch

from models.inspection.methods import Attribution, Method
from models.inspection.question import ExplainedPrediction

# Points of the path, computed in one pass: more would take longer than a reader waits. The sum is not exact
# for functions with kinks, such as ReLU; `gap` reports the difference.
NUM_POINTS = 40


def gradient_norm(prediction: ExplainedPrediction) -> Attribution:
    """The Euclidean norm ||dF/de_j|| of each token's gradient."""
    source, prefix = prediction.gradients(*prediction.vectors)
    squares = prediction.places.to(source) @ source[0].square().sum(dim=-1)
    return Attribution(tuple(squares.sqrt().tolist()), tuple(prefix[0].norm(dim=-1).tolist()))


def gradient_times_input(prediction: ExplainedPrediction) -> Attribution:
    """e_j . dF/de_j, the first-order loss of F if the token's vector were zero."""
    pairs = zip(prediction.vectors, prediction.gradients(*prediction.vectors), strict=True)
    source, prefix = ((vectors * slopes)[0].sum(dim=-1) for vectors, slopes in pairs)
    at_places = prediction.places.to(source) @ source
    return Attribution(tuple(at_places.tolist()), tuple(prefix.tolist()))


GRADIENT = Method(
    "gradient",
    "gradient",
    position=40,
    paper="Simonyan et al. 2014",
    signed=False,
    attribute=gradient_norm,
    gradients=True,
)
GRADIENT_TIMES_INPUT = Method(
    "gradient_times_input",
    "gradient × input",
    position=50,
    paper="Shrikumar et al. 2017",
    attribute=gradient_times_input,
    gradients=True,
)


def integrated_gradients(prediction: ExplainedPrediction) -> Attribution:
    """(e - b) . sum_k w_k dF(b + a_k (e - b)), by Gauss and Legendre's points a_k and weights w_k.

    F is the explained value. b, the baseline, is the zero vector for every token of source and prefix. The
    scores should add up to F(e) - F(b); `gap` is the difference (section 3, "completeness").
    """
    with torch.no_grad():
        at_zero = float(prediction.value_of_vectors(*map(torch.zeros_like, prediction.vectors)))
    source, prefix = _along(prediction)
    gap = abs(sum(source) + sum(prefix) - (prediction.value - at_zero))
    return Attribution(source, prefix, gap)


def _along(prediction: ExplainedPrediction) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Scores of the P places of the source and of the T tokens of the prefix."""
    places, weights = np.polynomial.legendre.leggauss(NUM_POINTS)  # points on [-1, 1]
    like = prediction.vectors[0]
    alphas = torch.as_tensor((places + 1) / 2).to(like).view(-1, 1, 1)
    shares = torch.as_tensor(weights / 2).to(like).view(-1, 1, 1)
    slopes = prediction.gradients(*(alphas * vectors for vectors in prediction.vectors))
    source, prefix = (
        (vectors[0] * (shares * slope).sum(dim=0)).sum(dim=-1)
        for vectors, slope in zip(prediction.vectors, slopes, strict=True)
    )
    return tuple((prediction.places.to(source) @ source).tolist()), tuple(prefix.tolist())


INTEGRATED_GRADIENTS = Method(
    "integrated_gradients",
    "integrated gradients",
    position=60,
    paper="Sundararajan et al. 2017",
    attribute=integrated_gradients,
    gradients=True,
)
