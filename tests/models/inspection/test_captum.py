"""Attribution against Captum, which computes it by code that has nothing in common with ours."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from models.inspection.methods import Attribution, attribute
from models.inspection.methods.gradient import NUM_POINTS
from models.inspection.question import ExplainedPrediction, Question
from models.networks.config import NetworkConfig
from tests.fakes.tiny_networks import BOS, EOS, SAMPLE, each_network, tiny_model

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:Setting forward, backward hooks"),
    pytest.mark.filterwarnings("ignore:Input Tensor"),
]
QUESTIONS = (
    Question((5, 6, 7, 8, EOS), (BOS, 12, 11), 10, replacement=1),
    Question((5, 6, 7, 8, EOS), (BOS, 12, 11), 10, rival=9, replacement=1),
    Question((EOS,), (BOS,), 4, replacement=1),
)
networks, questions = each_network(SAMPLE), pytest.mark.parametrize("question", QUESTIONS)


def ours(config: NetworkConfig, question: Question, method: str) -> tuple[ExplainedPrediction, Attribution]:
    model = tiny_model(config)
    return ExplainedPrediction(model, question), attribute(model, question, [method])[1][method]


def assert_equal(attribution: Attribution, source: Tensor, prefix: Tensor, within: float = 1e-9) -> None:
    """Compare with the scores of Captum: source (1, S), prefix (1, T)."""
    assert attribution.prefix is not None
    assert attribution.source == pytest.approx(source[0].tolist(), abs=within)
    assert attribution.prefix == pytest.approx(prefix[0].tolist(), abs=within)


@networks
@questions
def test_integrated_gradients_equal_those_of_captum(config: NetworkConfig, question: Question) -> None:
    from captum.attr import IntegratedGradients

    prediction, attribution = ours(config, question, "integrated_gradients")
    nothing = tuple(torch.zeros_like(part) for part in prediction.vectors)
    scores, gap = IntegratedGradients(prediction.value_of_vectors).attribute(
        prediction.vectors, nothing, n_steps=NUM_POINTS, method="gausslegendre", return_convergence_delta=True
    )
    source, prefix = (part.sum(dim=-1) for part in scores)
    # Captum keeps the points of the path in single precision.
    assert_equal(attribution, source, prefix, within=1e-6)
    assert attribution.gap == pytest.approx(abs(float(gap)), abs=1e-6)


@networks
@questions
def test_gradients_equal_those_of_captum(config: NetworkConfig, question: Question) -> None:
    from captum.attr import Saliency

    prediction, attribution = ours(config, question, "gradient")
    slopes = Saliency(prediction.value_of_vectors).attribute(
        tuple(part.clone() for part in prediction.vectors), abs=False
    )
    assert_equal(attribution, *(part.norm(dim=-1) for part in slopes))


@networks
@questions
def test_gradients_times_input_equal_those_of_captum(config: NetworkConfig, question: Question) -> None:
    from captum.attr import InputXGradient

    prediction, attribution = ours(config, question, "gradient_times_input")
    scores = InputXGradient(prediction.value_of_vectors).attribute(
        tuple(part.clone() for part in prediction.vectors)
    )
    assert_equal(attribution, *(part.sum(dim=-1) for part in scores))


@networks
@questions
def test_occlusion_equals_that_of_captum(config: NetworkConfig, question: Question) -> None:
    """The baseline is the vector of the replacing token."""
    from captum.attr import FeatureAblation

    prediction, attribution = ours(config, question, "replaced")
    source, prefix = prediction.vectors
    with torch.no_grad():
        blank = prediction.model.blank(source, question.replacement).expand_as(source)
        blank_prefix = prediction.model.embed_target(torch.full_like(prediction.prefix, question.replacement))
        blank_prefix[:, 0] = prefix[:, 0]  # the start token is never taken out
        places = torch.arange(source.shape[1]).view(1, -1, 1), torch.arange(prefix.shape[1]).view(1, -1, 1)
        features = places[0], places[1] + source.shape[1]
        scores = FeatureAblation(prediction.value_of_vectors).attribute(
            (source, prefix), (blank, blank_prefix), feature_mask=features
        )
    assert_equal(attribution, *(part[..., 0] for part in scores))
