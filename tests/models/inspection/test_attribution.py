"""Laws of attribution: the scores of each method agree with what the network computes."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.decoding.judge.rescore import rescore_ids
from models.inspection.methods import METHODS, Attribution, attribute
from models.inspection.question import ExplainedPrediction, InspectionError, Question
from models.networks.base import EmbeddingModel, Seq2SeqModel
from models.networks.config import NetworkConfig, PictureConfig
from models.networks.packed import can_pack, pack_linears
from models.registry.registry import Registry
from tests.fakes.markov import MarkovModel
from tests.fakes.tiny_networks import (
    BOS,
    CAPTIONERS,
    EOS,
    PAD,
    SAMPLE,
    each_network,
    tiny_model,
    tiny_pictures,
)
from tests.refusals import refused

SOURCE, OUTPUT, RIVAL, UNKNOWN = (5, 6, 7, 8, EOS), (12, 11, 10), 9, 1
QUESTION = Question(SOURCE, (BOS, *OUTPUT[:-1]), OUTPUT[-1], replacement=UNKNOWN)
few_networks = each_network(SAMPLE)
SIGNED = [name for name, method in METHODS.items() if method.signed]


def by_method(model: Seq2SeqModel, question: Question = QUESTION) -> dict[str, Attribution]:
    return attribute(model, question)[1]


def log_prob(model: Seq2SeqModel, source: tuple[int, ...], prefix: tuple[int, ...], token: int) -> float:
    """The log-probability by the code that scores a text, independent of attribution."""
    return rescore_ids(model, source, (*prefix[1:], token))[-1].log_prob


@few_networks
def test_the_explained_value_is_the_networks_log_probability(config: NetworkConfig) -> None:
    model = tiny_model(config)
    expected = log_prob(model, SOURCE, QUESTION.prefix, QUESTION.token)
    assert attribute(model, QUESTION, ())[0] == pytest.approx(expected, abs=1e-5)
    rival = log_prob(model, SOURCE, QUESTION.prefix, RIVAL)
    value, _ = attribute(model, replace(QUESTION, rival=RIVAL), ())
    assert value == pytest.approx(expected - rival, abs=1e-5)


@few_networks
def test_the_cost_of_a_replaced_token_equals_that_of_the_changed_text(config: NetworkConfig) -> None:
    model = tiny_model(config)
    expected = log_prob(model, SOURCE, QUESTION.prefix, QUESTION.token)
    replaced = by_method(model)["replaced"]
    for index, cost in enumerate(replaced.source):
        without = (*SOURCE[:index], UNKNOWN, *SOURCE[index + 1 :])
        assert cost == pytest.approx(
            expected - log_prob(model, without, QUESTION.prefix, QUESTION.token), abs=1e-5
        )
    assert replaced.prefix is not None
    assert replaced.prefix[0] == 0
    for index, cost in list(enumerate(replaced.prefix))[1:]:
        without = (*QUESTION.prefix[:index], UNKNOWN, *QUESTION.prefix[index + 1 :])
        assert cost == pytest.approx(expected - log_prob(model, SOURCE, without, QUESTION.token), abs=1e-5)


@few_networks
def test_gradients_are_finite_differences(config: NetworkConfig) -> None:
    """Double precision, since the step must be small for the curvature and large for rounding."""
    model = tiny_model(config)
    prediction = ExplainedPrediction(model, QUESTION)
    slopes = prediction.gradients(*prediction.vectors)
    generator = torch.Generator().manual_seed(0)
    for part in (0, 1):
        direction = torch.randn(prediction.vectors[part].shape, generator=generator, dtype=torch.float64)
        ahead, behind = ([*prediction.vectors], [*prediction.vectors])
        ahead[part] = prediction.vectors[part] + 1e-5 * direction
        behind[part] = prediction.vectors[part] - 1e-5 * direction
        with torch.no_grad():
            difference = (
                float(prediction.value_of_vectors(*ahead) - prediction.value_of_vectors(*behind)) / 2e-5
            )
        assert float((slopes[part] * direction).sum()) == pytest.approx(difference, rel=1e-5, abs=1e-8)


@few_networks
def test_integrated_gradients_add_up(config: NetworkConfig) -> None:
    model = tiny_model(config)
    prediction = ExplainedPrediction(model, QUESTION)
    with torch.no_grad():
        nothing = float(prediction.value_of_vectors(*map(torch.zeros_like, prediction.vectors)))
    gradients = by_method(model)["integrated_gradients"]
    assert gradients.prefix is not None
    assert gradients.gap is not None
    lacking = math.fsum((*gradients.source, *gradients.prefix)) - (prediction.value - nothing)
    assert abs(lacking) <= 1e-3
    assert gradients.gap == pytest.approx(abs(lacking), abs=1e-6)


@few_networks
def test_exchanging_token_and_rival_negates_the_attribution(config: NetworkConfig) -> None:
    model = tiny_model(config)
    one = replace(QUESTION, rival=RIVAL)
    other = replace(QUESTION, token=RIVAL, rival=QUESTION.token)
    attributions, exchanged = by_method(model, one), by_method(model, other)
    for name in SIGNED:
        if name not in attributions:
            continue
        assert attributions[name].source == pytest.approx(
            [-score for score in exchanged[name].source], abs=1e-4
        )
    assert attributions["gradient"].source == pytest.approx(exchanged["gradient"].source, abs=1e-5)


@few_networks
def test_masking_needs_attention_and_another_source_token(config: NetworkConfig) -> None:
    """Masking a token needs attention and at least one other source token."""
    model = tiny_model(config)
    assert ("masked" in by_method(model)) == (model.attention_shape is not None)
    alone = by_method(model, replace(QUESTION, source=(EOS,)))
    assert "masked" not in alone
    assert len(alone["replaced"].source) == 1


@few_networks
def test_the_network_is_unchanged_afterwards(config: NetworkConfig) -> None:
    model = tiny_model(config)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    by_method(model)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert all(parameter.grad is None for parameter in model.parameters())
    assert not any(part._forward_hooks or part._backward_hooks for part in model.modules())
    assert not model.training


@few_networks
def test_the_first_token_of_an_output_has_no_history(config: NetworkConfig) -> None:
    attributions = by_method(tiny_model(config), replace(QUESTION, prefix=(BOS,)))
    assert all(
        attribution.prefix is None or len(attribution.prefix) == 1 for attribution in attributions.values()
    )


@few_networks
@pytest.mark.skipif(not can_pack(), reason="this processor has no kernels for packed weights")
def test_packed_weights_give_the_same_and_8_bit_weights_no_gradients(config: NetworkConfig) -> None:
    model, packed, rounded = (tiny_model(config).float() for _ in range(3))
    for one in (model, packed, rounded):
        one.load_state_dict({name: value.half().float() for name, value in model.state_dict().items()})
    pack_linears(packed)
    with torch.inference_mode():  # decodings, which fold the weights, come before questions
        packed.encode(torch.tensor([SOURCE]), torch.ones(1, len(SOURCE), dtype=torch.bool))
        for part in packed.modules():
            getattr(part, "weight", None)
    plain, same = by_method(model), by_method(packed)
    assert plain.keys() == same.keys()
    for name, attribution in plain.items():
        assert same[name].source == pytest.approx(attribution.source, abs=1e-4)
    pack_linears(rounded, "int8")
    assert set(by_method(rounded)) <= {name for name, method in METHODS.items() if not method.gradients}
    prediction = ExplainedPrediction(rounded, QUESTION)
    with refused(InspectionError, "no_gradients"):
        prediction.gradients(*prediction.vectors)


@few_networks
def test_the_id_of_padding_does_not_matter(config: NetworkConfig) -> None:
    model = tiny_model(config)
    assert isinstance(model, EmbeddingModel)
    prediction = ExplainedPrediction(model, QUESTION)
    mask = torch.tensor([[True] * len(SOURCE) + [False]])
    with torch.no_grad():
        for last in (PAD, 7):
            vectors = model.embed_source(torch.tensor([(*SOURCE, last)]))
            padded = float(
                prediction.value_of_encoded(model.encode_vectors(vectors, mask), prediction.vectors[1])
            )
            assert padded == pytest.approx(prediction.value, abs=1e-9)


@each_network(CAPTIONERS)
def test_occlusion_removes_the_cells_of_a_picture(config: NetworkConfig) -> None:
    """All pixels of a cell are replaced together; the gradient of a cell is the norm over its pixels."""
    assert isinstance(config, PictureConfig)
    model = tiny_model(config)
    (pixels,) = tiny_pictures(config, 1)
    question = replace(QUESTION, source=pixels)
    prediction, attributions = ExplainedPrediction(model, question), by_method(model, question)
    with torch.no_grad():
        cells = model.encode(prediction.source, prediction.mask).memory.shape[1]
    assert {len(attribution.source) for attribution in attributions.values()} == {cells}
    assert bool((prediction.places.sum(dim=0) == 1).all())
    (slopes, _) = prediction.gradients(*prediction.vectors)
    total = math.sqrt(math.fsum(score**2 for score in attributions["gradient"].source))
    assert total == pytest.approx(float(slopes.norm()), rel=1e-6)
    corner = prediction.vectors[0].clone()
    corner[:, prediction.places[0]] = prediction.vectors[0].mean(dim=1)
    with torch.no_grad():
        cost = prediction.value - float(prediction.value_of_vectors(corner, prediction.vectors[1]))
    assert attributions["replaced"].source[0] == pytest.approx(cost, abs=1e-9)


def test_an_invalid_question_is_refused() -> None:
    model = tiny_model(SAMPLE["transformer-post-gelu"])
    with refused(InspectionError, "no_such_token", 99, "12"):
        attribute(model, replace(QUESTION, token=99))
    with refused(InspectionError, "no_vectors_to_inspect"):
        attribute(MarkovModel.random(3, 0), QUESTION)


@pytest.mark.parametrize("letters", ["abcdef", "hello"])
def test_the_relevant_tokens_of_a_reversal_are_found(letters: str) -> None:
    """Output t depends on letter S + 1 - t, by all methods that take a token away, and by the attention."""
    checkpoint = Registry(Path(__file__).parents[3] / "checkpoints").load("reverse-gru", torch.device("cpu"))
    tokenizer = checkpoint.tokenizer
    source = tuple(tokenizer.encode(letters).ids)
    output = tuple(tokenizer.encode(letters[::-1]).ids)
    for step in range(len(letters)):
        prefix = (tokenizer.bos_id, *output[:step])
        question = Question(source, prefix, output[step], replacement=tokenizer.unk_id)
        attributions = by_method(checkpoint.model, question)
        for name in ("attention", "gradient", "replaced", "masked"):
            scores = attributions[name].source[: len(letters)]
            assert scores.index(max(scores)) == len(letters) - 1 - step, name
