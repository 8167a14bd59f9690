"""Exposure bias: the cost of each token depends on the fed prefix, and equals that of rescoring."""

from __future__ import annotations

import pytest
import torch

from models.decoding.decode import decode
from models.decoding.judge.rescore import rescore_ids
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.training.loop.exposure import Exposure, exposure
from tests.demo.labs.small_network import checkpoint
from tests.refusals import refused

PAIR = ("hola", "hello")


def measured_exposure(ratio: float = 1, prefix_length: int = 0) -> Exposure:
    network = checkpoint()
    return exposure(network.model, network.tokenizer, PAIR, ratio=ratio, prefix_length=prefix_length)


def costs(prefix: tuple[int, ...]) -> tuple[float, ...]:
    network = checkpoint()
    source = network.tokenizer.encode(PAIR[0]).ids
    return tuple(-token.log_prob for token in rescore_ids(network.model, source, prefix))


def test_each_cost_is_that_of_its_token_after_the_fed_prefix() -> None:
    result = measured_exposure(ratio=0)
    assert result.teacher_forced_costs == pytest.approx(costs(result.reference), abs=1e-5)
    assert result.free_running_costs == pytest.approx(costs(result.free_running), abs=1e-5)
    for index, cost in enumerate(result.exposed_costs):
        assert cost == pytest.approx(
            costs((*result.free_running[:index], result.reference[index]))[-1], abs=1e-5
        )
    for index, cost in enumerate(result.fed_costs):
        assert cost == pytest.approx(costs((*result.fed[:index], result.reference[index]))[-1], abs=1e-5)


def test_the_free_output_is_the_greedy_one() -> None:
    network, result = checkpoint(), measured_exposure()
    options = DecodingOptions("greedy", max_length=len(result.reference) + 10)
    trace = decode(network.model, network.tokenizer, PAIR[0], options)
    assert result.free_running == trace.hypotheses[0].token_ids
    assert len(result.fed) == len(result.reference) - 1


def test_the_coins_choose_between_the_reference_and_the_networks_own_tokens() -> None:
    every = measured_exposure(ratio=1)
    assert every.fed == every.reference[:-1]
    assert every.fed_costs == every.teacher_forced_costs
    none = measured_exposure(ratio=0)
    shared = min(len(none.fed), len(none.free_running))
    assert none.fed[:shared] == none.free_running[:shared]


def test_a_free_run_starts_with_the_given_prefix_of_the_reference() -> None:
    result = measured_exposure(prefix_length=3)
    assert result.free_running[:3] == result.reference[:3]
    assert len(measured_exposure(prefix_length=99).free_running) >= len(result.reference) - 1


@pytest.mark.parametrize(
    ("free", "expected"), [((5, 6), None), ((5, 7), 1), ((5,), 1), ((5, 6, 6), 2), ((4, 6), 0)]
)
def test_the_divergence_is_at_the_first_difference(free: tuple[int, ...], expected: int | None) -> None:
    assert Exposure((5, 6), (), (), free, (), (), (), ()).divergence == expected


def test_a_reference_that_is_too_long_is_refused() -> None:
    network = checkpoint()
    with refused(DecodingError, "reference_too_long_to_feed"):
        exposure(network.model, network.tokenizer, ("hola", "a" * 5000), ratio=1)


def test_measuring_exposure_leaves_the_global_random_state() -> None:
    before = torch.get_rng_state()
    measured_exposure(ratio=0.5)
    assert torch.equal(torch.get_rng_state(), before)
