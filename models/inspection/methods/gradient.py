"""The gradient of the explained value F with respect to the vector of each token."""

from __future__ import annotations

from models.inspection.methods.method import Attribution, Method
from models.inspection.question import ExplainedPrediction


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
