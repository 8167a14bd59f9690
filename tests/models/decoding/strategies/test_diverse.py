"""Diverse and threshold beam search: the invariants, and penalties that can be computed by hand."""

from __future__ import annotations

import math

import pytest

from models.decoding.search.strategy import LengthNormalizer
from models.decoding.status import Reason, Status
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.diverse import DiverseBeamSearch
from models.decoding.strategies.threshold import ThresholdBeamSearch
from models.decoding.trace import BeamNode
from tests.fakes.markov import BOS, EOS, MarkovModel
from tests.models.decoding.search.running import finished_of, steps_of, tokens_of, trace_of
from tests.refusals import refused

A, B, C, D = 4, 5, 6, 7
GNMT = LengthNormalizer("gnmt", 0.7)


@pytest.fixture(params=range(4))
def model(request: pytest.FixtureRequest) -> MarkovModel:
    return MarkovModel.random(letters=6, seed=request.param, end_bias=1.0)


@pytest.mark.parametrize("mode", [True, False, "never"])
@pytest.mark.parametrize("penalty", [0.0, 1.5])
def test_one_group_equals_a_beam(model: MarkovModel, penalty: float, mode: bool | str) -> None:
    diverse = trace_of(model, DiverseBeamSearch(4, GNMT, mode, 1, penalty), 9)
    beam = trace_of(model, BeamSearch(4, GNMT, mode), 9)
    assert diverse.hypotheses == beam.hypotheses
    competing = [node for node in diverse.nodes.values() if node.reason is not Reason.GROUP_PENALTY]
    nodes = [(node.step, node.token_id, node.cumulative, node.status, node.reason) for node in competing]
    assert nodes == [(n.step, n.token_id, n.cumulative, n.status, n.reason) for n in beam.nodes.values()]


@pytest.mark.parametrize("mode", [True, False, "never"])
@pytest.mark.parametrize("penalty", [0.0, 0.3, 5.0])
@pytest.mark.parametrize(("beams", "groups"), [(4, 2), (6, 3), (6, 2), (3, 3)])
def test_the_first_group_is_a_narrower_beam_whatever_the_penalty(
    model: MarkovModel, beams: int, groups: int, penalty: float, mode: bool | str
) -> None:
    strategy = DiverseBeamSearch(beams, GNMT, mode, groups, penalty)
    hypotheses = steps_of(model, strategy, 9)[-1].pools[0].groups[0]
    single = finished_of(model, BeamSearch(beams // groups, GNMT, mode), 9)
    assert tokens_of(hypotheses.sequences) == tokens_of(single)
    assert [output.score for output in hypotheses.sequences] == pytest.approx(
        [output.score for output in single], abs=1e-5
    )


def test_without_a_penalty_all_groups_are_alike(model: MarkovModel) -> None:
    pool_groups = steps_of(model, DiverseBeamSearch(6, num_groups=3, diversity=0.0), 9)[-1].pools[0].groups
    first, second, third = (tokens_of(hypotheses.sequences) for hypotheses in pool_groups)
    assert first == second == third


@pytest.fixture
def tie() -> MarkovModel:
    """A is likelier than B by .6 to .4; both are followed by C or D at even chances, then the end."""
    even = {C: 0.5, D: 0.5}
    return MarkovModel.from_table(8, {BOS: {A: 0.6, B: 0.4}, A: even, B: even, C: {EOS: 1}, D: {EOS: 1}})


def node_at(nodes: list[BeamNode], group: int, step: int, token: int) -> BeamNode:
    (result,) = [n for n in nodes if (n.group, n.step, n.token_id) == (group, step, token)]
    return result


def test_a_later_group_pays_for_each_choice_of_the_earlier_ones(tie: MarkovModel) -> None:
    # Groups of one: the first takes A and C (the lower id of a tie).
    trace = trace_of(tie, DiverseBeamSearch(3, num_groups=3, diversity=0.5), 5)
    nodes = list(trace.nodes.values())
    # The second: A costs log .6 - .5 = -1.01 against log .4 = -.92, so it takes B; C was chosen once, D not.
    assert node_at(nodes, 1, 0, B).status is Status.KEPT
    assert node_at(nodes, 1, 0, B).rank_score is None, "nobody chose B before: no penalty"
    assert node_at(nodes, 1, 0, A).rank_score == pytest.approx(math.log(0.6) - 0.5, abs=1e-5)
    assert node_at(nodes, 1, 0, A).reason is Reason.GROUP_PENALTY
    assert node_at(nodes, 1, 1, D).status is Status.KEPT
    # The third: A and B were chosen once each, so A wins by its probability and keeps its penalty.
    third = node_at(nodes, 2, 0, A)
    assert third.status is Status.KEPT
    assert third.rank_score == pytest.approx(math.log(0.6) - 0.5, abs=1e-5)
    assert third.cumulative == pytest.approx(math.log(0.6), abs=1e-5)
    last = node_at(nodes, 2, 1, C)  # C and D were chosen once each: the penalty adds up
    assert last.rank_score == pytest.approx(math.log(0.6 * 0.5) - 1.0, abs=1e-5)
    assert last.cumulative == pytest.approx(math.log(0.6 * 0.5), abs=1e-5)


def test_two_earlier_choices_cost_twice(tie: MarkovModel) -> None:
    trace = trace_of(tie, DiverseBeamSearch(3, num_groups=3, diversity=0.1), 5)
    # At .1 nats A still wins in the second group: -.61 against -.92; the third pays .2.
    third = node_at(list(trace.nodes.values()), 2, 0, A)
    assert third.rank_score == pytest.approx(math.log(0.6) - 0.2, abs=1e-5)


@pytest.mark.parametrize("seed", range(4))
def test_a_large_penalty_makes_groups_differ_and_leaves_scores_alone(seed: int) -> None:
    model = MarkovModel.random(letters=6, seed=seed, end_bias=-4.0)
    trace = trace_of(model, DiverseBeamSearch(4, num_groups=4, diversity=50.0), 9)
    first_tokens = {node.token_id for node in trace.steps[0].nodes if node.status is Status.KEPT}
    assert len(first_tokens) == 4
    for hypothesis in trace.hypotheses:
        assert hypothesis.log_prob == pytest.approx(model.log_prob(hypothesis.token_ids), abs=1e-4)


def test_candidates_dropped_by_the_group_penalty_are_marked(model: MarkovModel) -> None:
    trace = trace_of(model, DiverseBeamSearch(4, num_groups=2, diversity=50.0), 9)
    penalised = [node for node in trace.nodes.values() if node.reason is Reason.GROUP_PENALTY]
    assert penalised
    for node in penalised:
        rivals = [
            n for n in trace.steps[node.step].nodes if n.group == node.group and n.status is Status.KEPT
        ]
        assert node.group > 0
        assert not rivals or node.cumulative > min(n.cumulative for n in rivals)


@pytest.mark.parametrize(("beams", "groups"), [(4, 3), (6, 4), (2, 5)])
def test_groups_that_do_not_divide_the_beams_are_refused(beams: int, groups: int) -> None:
    with refused(ValueError, "groups_do_not_divide", groups, beams):
        DiverseBeamSearch(beams, num_groups=groups)


def test_a_threshold_of_zero_is_a_beam(model: MarkovModel) -> None:
    free = trace_of(model, ThresholdBeamSearch(4, GNMT, threshold=0.0), 9)
    beam = trace_of(model, BeamSearch(4, GNMT), 9)
    assert (free.steps, free.hypotheses) == (beam.steps, beam.hypotheses)


def test_candidates_below_the_threshold_are_dropped_with_the_reason() -> None:
    model = MarkovModel.from_table(8, {BOS: {A: 0.5, B: 0.3, C: 0.15, D: 0.05}})
    trace = trace_of(model, ThresholdBeamSearch(4, threshold=0.4), 5)
    outcomes = {node.token_id: (node.status, node.reason) for node in trace.steps[0].nodes}
    assert outcomes[A][0] is outcomes[B][0] is Status.KEPT  # .3 / .5 = .6
    assert outcomes[C] == outcomes[D] == (Status.PRUNED, Reason.THRESHOLD)  # .3 and .1


def test_a_threshold_of_one_keeps_only_what_ties_with_the_best() -> None:
    model = MarkovModel.from_table(8, {BOS: {A: 0.4, B: 0.4, C: 0.2}})
    result = finished_of(model, ThresholdBeamSearch(4, threshold=1.0), 5)
    assert tokens_of(result) == [(A, EOS), (B, EOS)]
