"""Laws of the trace of any search, and its JSON."""

from __future__ import annotations

import json
import math

import pytest

from models.decoding.record_json import TraceError
from models.decoding.search.strategy import LengthNormalizer
from models.decoding.status import Reason, Status
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.diverse import DiverseBeamSearch
from models.decoding.strategies.exact import ExactSearch
from models.decoding.strategies.exhaustive import ExhaustiveSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.strategies.minimum_bayes_risk import MinimumBayesRisk
from models.decoding.strategies.sampling import Sampling
from models.decoding.strategies.stochastic import StochasticBeamSearch
from models.decoding.strategies.threshold import ThresholdBeamSearch
from models.decoding.trace import DecodingTrace
from tests.fakes.markov import BOS, EOS, MarkovModel
from tests.grids import full_only
from tests.models.decoding.search.running import trace_of
from tests.refusals import Refusal, refused

A, B, C = 4, 5, 6
STRATEGIES = [
    Greedy(),
    BeamSearch(1),
    BeamSearch(4),
    BeamSearch(4, LengthNormalizer("gnmt", 1.0), "never"),
    BeamSearch(12, early_stopping=True),
    Sampling(5),
    MinimumBayesRisk(5, temperature=1.5),
    ThresholdBeamSearch(4, LengthNormalizer("power", 0.6), threshold=0.2),
    DiverseBeamSearch(6, num_groups=3, diversity=1.0),
    StochasticBeamSearch(5, temperature=0.7),
    ExactSearch(),
    ExhaustiveSearch(5, LengthNormalizer("power", 1.0)),
]


def length_for(strategy) -> int:
    return 5 if strategy.name == "exhaustive" else 9  # all sequences of nine tokens are too many


@pytest.fixture(params=[0, *full_only((1, 2))])
def model(request: pytest.FixtureRequest) -> MarkovModel:
    return MarkovModel.random(letters=6, seed=request.param, end_bias=1.0)


@pytest.mark.parametrize("strategy", STRATEGIES)
class TestEveryTrace:
    def test_each_total_is_the_sum_along_its_path(self, model: MarkovModel, strategy) -> None:
        trace = trace_of(model, strategy, length_for(strategy))
        for node in trace.nodes.values():
            path = trace.path(node.id)
            assert node.cumulative == pytest.approx(sum(x.log_prob for x in path), abs=1e-5)
            assert node.cumulative == pytest.approx(model.log_prob(tuple(x.token_id for x in path)), abs=1e-5)
            assert [x.step for x in path] == list(range(len(path)))

    def test_each_hypothesis_is_the_path_to_its_node(self, model: MarkovModel, strategy) -> None:
        trace = trace_of(model, strategy, length_for(strategy))
        assert trace.hypotheses
        for hypothesis in trace.hypotheses:
            path = trace.path(hypothesis.node)
            assert hypothesis.token_ids == tuple(x.token_id for x in path)
            assert hypothesis.log_prob == pytest.approx(path[-1].cumulative, abs=1e-5)
            assert hypothesis.score == pytest.approx(
                strategy.normalizer(hypothesis.log_prob, len(path)), abs=1e-5
            )
            assert hypothesis.ended == (path[-1].token_id == EOS)
        perturbed = strategy.name == "stochastic"
        ranking = [output.rank_score if perturbed else output.score for output in trace.hypotheses]
        assert ranking == sorted(ranking, reverse=True)

    def test_only_kept_nodes_have_children(self, model: MarkovModel, strategy) -> None:
        trace = trace_of(model, strategy, length_for(strategy))
        for node in trace.nodes.values():
            if node.parent is not None:
                assert trace.nodes[node.parent].status is Status.KEPT

    def test_every_kept_node_is_expanded_in_the_next_step(self, model: MarkovModel, strategy) -> None:
        trace = trace_of(model, strategy, length_for(strategy))
        for step, following in zip(trace.steps, trace.steps[1:], strict=False):
            survivors = {node.id for node in step.nodes if node.status is Status.KEPT}
            assert {row.node for row in following.rows} == survivors

    def test_rows_have_the_model_s_distribution(self, model: MarkovModel, strategy) -> None:
        trace = trace_of(model, strategy, length_for(strategy))
        for step in trace.steps:
            for row in step.rows:
                last = BOS if row.node is None else trace.nodes[row.node].token_id
                law = [p for p in model.law[last].tolist() if p > 0]
                assert row.entropy == pytest.approx(-sum(p * math.log(p) for p in law), abs=1e-4)
                top = sorted((math.log(p) for p in law), reverse=True)[:10]
                finite = [token.log_prob for token in row.top if token.log_prob > -math.inf]
                assert finite == pytest.approx(top, abs=1e-4)

    def test_rows_have_the_attention_of_their_own_prefix(self, model: MarkovModel, strategy) -> None:
        trace = trace_of(model, strategy, length_for(strategy))
        for row in (row for step in trace.steps for row in step.rows):
            last = BOS if row.node is None else trace.nodes[row.node].token_id
            (((first, second),),) = row.attention
            assert (first, second) == pytest.approx((1 - last / 20, last / 20), abs=1e-3)

    def test_token_rank_counts_the_better_tokens_of_the_row(self, model: MarkovModel, strategy) -> None:
        trace = trace_of(model, strategy, length_for(strategy))
        for node in trace.nodes.values():
            last = BOS if node.parent is None else trace.nodes[node.parent].token_id
            law = model.law[last]
            assert node.token_rank == int((law > law[node.token_id]).sum())

    def test_a_trace_is_restored_from_json(self, model: MarkovModel, strategy) -> None:
        trace = trace_of(model, strategy, length_for(strategy))
        assert DecodingTrace.from_json(trace.to_json()) == trace


def test_an_output_that_a_better_one_displaces_is_marked() -> None:
    """A beam of one: A continues although the end token is more probable, and a later end token wins."""
    table = {BOS: {EOS: 0.5, A: 0.3, B: 0.2}, A: {EOS: 0.9, B: 0.1}}
    trace = trace_of(
        MarkovModel.from_table(8, table), BeamSearch(1, LengthNormalizer("power", 2.0), "never"), 4
    )
    outcomes = [[(node.token_id, node.status, node.reason) for node in step.nodes] for step in trace.steps]
    assert outcomes[0] == [
        (EOS, Status.FINISHED, Reason.DISPLACED),  # log .5 loses to log .27 / 4
        (A, Status.KEPT, Reason.WITHIN_BEAM),
    ]
    assert outcomes[1][0] == (EOS, Status.FINISHED, Reason.END_TOKEN)


def test_an_end_token_outside_the_beam_is_pruned_as_such() -> None:
    table = {BOS: {A: 0.5, EOS: 0.3, B: 0.2}, A: {EOS: 1.0}}
    trace = trace_of(MarkovModel.from_table(8, table), BeamSearch(1), 4)
    assert [(x.token_id, x.reason) for x in trace.steps[0].nodes] == [
        (A, Reason.WITHIN_BEAM),
        (EOS, Reason.END_OUTSIDE_BEAM),
    ]


def test_candidates_alive_at_an_early_stop_are_marked() -> None:
    table = {BOS: {EOS: 0.6, A: 0.4}, A: {EOS: 1.0}}
    trace = trace_of(MarkovModel.from_table(8, table), BeamSearch(1), 4)
    assert [x.reason for x in trace.steps[-1].nodes] == [Reason.END_TOKEN, Reason.EARLY_STOP]


def test_the_runner_up_of_greedy_search_is_ranked_below() -> None:
    table = {BOS: {EOS: 0.6, A: 0.4}, A: {EOS: 1.0}}
    trace = trace_of(MarkovModel.from_table(8, table), Greedy(), 4)
    assert [x.reason for x in trace.steps[-1].nodes] == [Reason.END_TOKEN, Reason.RANKED_BELOW]


def test_samples_are_chains_that_share_only_the_empty_prefix() -> None:
    trace = trace_of(MarkovModel.random(letters=3, seed=0, end_bias=-2.0), Sampling(6), 5)
    parents = [node.parent for step in trace.steps[1:] for node in step.nodes]
    assert len(parents) == len(set(parents)) > 0
    assert len(trace.steps[0].rows) == 1
    assert len(trace.hypotheses) == 6


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (
            lambda data: data | {"schema_version": 99},
            ("trace_other_schema", "99", "1 and 2", "update_program"),
        ),
        (lambda data: {k: v for k, v in data.items() if k != "steps"}, ("trace_damaged",)),
        (lambda data: data | {"hypotheses": [{"node": 1}]}, ("trace_damaged",)),
        (lambda data: [data], ("trace_other_schema", "None")),
    ],
)
def test_a_trace_of_another_version_or_a_damaged_one_is_refused(change, refusal: Refusal) -> None:
    data = json.loads(trace_of(MarkovModel.random(3, 0), Greedy(), 4).to_json())
    with refused(TraceError, *refusal):
        DecodingTrace.from_json(json.dumps(change(data)))


def test_a_trace_that_is_no_json_is_refused() -> None:
    with refused(TraceError, "trace_no_json"):
        DecodingTrace.from_json('{"schema_version": 1, "steps": [')
