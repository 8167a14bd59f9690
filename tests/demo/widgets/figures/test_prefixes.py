"""The tree of prefixes: its masses add up, and its bounds bracket what enumeration finds."""

from __future__ import annotations

import math

import pytest

from demo.widgets.figures.prefixes import ROOT, PrefixTree, prefix_tree
from models.decoding.search.strategy import DecodingStrategy
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.exact import ExactSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.strategies.sampling import Sampling
from models.decoding.trace import DecodingTrace
from tests.fakes.markov import BOS, EOS, MarkovModel
from tests.fakes.traces import library_trace
from tests.models.decoding.search.running import trace_of

LENGTH = 4
ROUNDING = 2e-5  # the error of sums of numbers with six decimals
STRATEGIES: dict[str, DecodingStrategy] = {
    "greedy": Greedy(),
    "beam 2": BeamSearch(2),
    "beam 8": BeamSearch(8),
    "exact": ExactSearch(),
    "sampling": Sampling(6),
}
A, B, C = 4, 5, 6


def tree_of(trace: DecodingTrace) -> PrefixTree:
    tree = prefix_tree(trace)
    assert tree is not None
    return tree


@pytest.fixture(params=STRATEGIES.values(), ids=STRATEGIES.keys())
def strategy(request: pytest.FixtureRequest) -> DecodingStrategy:
    return request.param


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("letters", [3, 14])  # fewer and more than a row names
def test_children_and_the_rest_sum_to_their_parent(
    strategy: DecodingStrategy, letters: int, seed: int
) -> None:
    tree = tree_of(trace_of(MarkovModel.random(letters, seed), strategy, LENGTH, seed))
    assert tree.prefixes[ROOT].mass == 1
    for prefix in tree.prefixes:
        children = math.fsum(tree.prefixes[child].mass for child in prefix.children)
        assert prefix.explored or not prefix.children
        if prefix.explored:
            assert children + prefix.rest == pytest.approx(prefix.mass, abs=ROUNDING)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("letters", [3, 14])
def test_every_prefix_has_the_models_probability(strategy: DecodingStrategy, letters: int, seed: int) -> None:
    model = MarkovModel.random(letters, seed)
    tree = tree_of(trace_of(model, strategy, LENGTH, seed))
    for prefix in tree.prefixes:
        tokens = tuple(int(step.token) for step in tree.path(prefix.index))
        assert prefix.log_prob == pytest.approx(model.log_prob(tokens), abs=1e-5)
        # A trace without ended or cut outputs cannot tell which prefixes end: they count as open.
        assert not prefix.ended or tokens[-1] == EOS or prefix.depth == LENGTH


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("letters", [3, 6])
@pytest.mark.parametrize("end_bias", [-2.0, 0.0, 2.0])
def test_the_bounds_bracket_the_most_probable_output(
    strategy: DecodingStrategy, letters: int, seed: int, end_bias: float
) -> None:
    model = MarkovModel.random(letters, seed, end_bias)
    tree = tree_of(trace_of(model, strategy, LENGTH, seed))
    outputs = {tokens: model.log_prob(tokens) for tokens in model.sequences(LENGTH)}
    mode = max(outputs.values())
    assert tree.best is not None
    assert tree.best.log_prob <= mode + ROUNDING
    assert mode <= max(tree.best.log_prob, tree.bound[0]) + ROUNDING
    if tree.settled:
        assert tree.best.log_prob == pytest.approx(mode, abs=ROUNDING)
    ended_paths = {
        tuple(int(step.token) for step in tree.path(end.index)) for end in tree.prefixes if end.ended
    }
    unseen = max((value for tokens, value in outputs.items() if tokens not in ended_paths), default=-math.inf)
    assert unseen <= tree.bound[0] + ROUNDING


def test_the_bounds_prove_the_mode_for_a_beam_and_not_for_greedy_search() -> None:
    model = MarkovModel.from_table(7, {BOS: {A: 0.4, B: 0.35, C: 0.25}, A: {EOS: 0.5, C: 0.5}})
    greedy, beam = (tree_of(trace_of(model, strategy, LENGTH)) for strategy in (Greedy(), BeamSearch(3)))
    assert not greedy.settled
    assert math.exp(greedy.best.log_prob) == pytest.approx(0.2, abs=1e-5)  # A EOS
    bound, prefix = greedy.bound
    assert (math.exp(bound), prefix.token) == (pytest.approx(0.35, abs=1e-5), str(B))
    assert beam.settled
    assert math.exp(beam.best.log_prob) == pytest.approx(0.35, abs=1e-5)  # B EOS


def test_samples_share_their_prefixes() -> None:
    model = MarkovModel.from_table(6, {BOS: {A: 0.5, B: 0.5}})
    tree = tree_of(trace_of(model, Sampling(8), LENGTH))
    assert len(tree.prefixes) == 5  # the root, A and B, and their ends
    assert len(tree.hypotheses) == 8
    assert sum(len(tree.prefixes[child].nodes) for child in tree.prefixes[ROOT].children) == 8


def test_forced_tokens_have_no_cost_in_the_tree() -> None:
    model = MarkovModel.random(4, 1)
    trace = trace_of(model, BeamSearch(3), LENGTH, forced=(A, B))
    tree = tree_of(DecodingTrace(**{**vars(trace), "forced": (A, B)}))
    assert tree.forced_length == 2
    assert math.fsum(tree.prefixes[child].mass for child in tree.prefixes[ROOT].children) == pytest.approx(
        1 - tree.prefixes[ROOT].rest, abs=ROUNDING
    )
    assert max(prefix.depth for prefix in tree.prefixes) == LENGTH - 2


def test_a_likely_next_token_that_was_no_candidate_is_a_prefix_too() -> None:
    tree = tree_of(library_trace())
    (candidate,) = (prefix for prefix in tree.prefixes if prefix.token == "▁my")
    named = next(prefix for prefix in tree.prefixes if prefix.token == "▁of" and prefix.depth == 1)
    assert (candidate.nodes, named.nodes, named.explored) == ((2,), (), False)
    assert named.mass == pytest.approx(0.05 / 4)


def test_a_trace_without_candidates_has_no_tree() -> None:
    assert prefix_tree(DecodingTrace("x", "", (), "beam", {}, (), ())) is None
