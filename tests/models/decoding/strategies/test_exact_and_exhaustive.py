"""Exhaustive and exact search against enumeration."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from torch import Tensor

from models.decoding.record.retained import MAX_RECORDED_NODES
from models.decoding.search.strategy import LengthNormalizer
from models.decoding.status import Reason, Status, Stop
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.exact import ExactSearch
from models.decoding.strategies.exhaustive import MAX_LEAVES, ExhaustiveSearch, num_leaves
from models.decoding.strategies.greedy import Greedy
from models.networks.base import StepOutput
from tests.fakes.markov import BOS, EOS, MarkovModel
from tests.grids import full_only
from tests.models.decoding.search.running import finished_of, tokens_of, trace_of
from tests.refusals import refused

A, B, C, D = 4, 5, 6, 7


def ranked(model: MarkovModel, length: int, normalizer: LengthNormalizer | None = None) -> list[tuple]:
    """Every possible sequence, best score first."""
    normalizer = normalizer or LengthNormalizer()
    scored = [(normalizer(model.log_prob(x), len(x)), x) for x in model.sequences(length)]
    return sorted((pair for pair in scored if pair[0] > -math.inf), reverse=True)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("alpha", [-1.0, 0.0, 1.5])
def test_exhaustive_search_is_enumeration(seed: int, alpha: float) -> None:
    model, normalizer = MarkovModel.random(letters=3, seed=seed), LengthNormalizer("power", alpha)
    best = ranked(model, 4, normalizer)[:8]
    result = finished_of(model, ExhaustiveSearch(8, normalizer), 4)
    assert [output.score for output in result] == pytest.approx([score for score, _ in best], abs=1e-5)
    assert result[0].tokens == best[0][1]


@pytest.mark.parametrize("seed", [0, 1, *full_only(range(2, 12))])
@pytest.mark.parametrize("length", [1, 3, 5])
@pytest.mark.parametrize("end_bias", [-2.0, 0.0, 2.0])
def test_exact_search_finds_the_mode(seed: int, length: int, end_bias: float) -> None:
    model = MarkovModel.random(letters=4, seed=seed, end_bias=end_bias)
    best, mode = ranked(model, length)[0]
    (result,) = finished_of(model, ExactSearch(), length)
    assert result.tokens == mode
    assert result.log_prob == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("seed", range(12))
def test_a_bound_and_a_guide_change_the_effort_and_not_the_result(seed: int) -> None:
    model = MarkovModel.random(letters=4, seed=seed)
    beam = finished_of(model, BeamSearch(2), 5)[0]
    with_guide = replace(ExactSearch(), bound=beam.log_prob, guide=beam.tokens)
    plain = trace_of(model, ExactSearch(), 5)
    bounded = trace_of(model, with_guide, 5)
    assert bounded.hypotheses[0].token_ids == plain.hypotheses[0].token_ids == ranked(model, 5)[0][1]
    assert bounded.exploration.expanded <= plain.exploration.expanded
    assert bounded.exploration.expanded < trace_of(model, ExhaustiveSearch(), 5).exploration.expanded


def test_the_empty_output_can_be_the_mode_that_beam_search_misses() -> None:
    # The end token has .25. A and B have more, so a beam of two does not keep the end, but their best outputs
    # have .3 x .8 = .24 and less.
    table = {BOS: {A: 0.3, B: 0.28, EOS: 0.25, C: 0.17}}
    table |= {token: {D: 0.8, A: 0.2} for token in (A, B, C)} | {D: {EOS: 1.0}}
    model = MarkovModel.from_table(8, table)
    beam, exact = (finished_of(model, s, 6)[0] for s in (BeamSearch(2), ExactSearch()))
    assert exact.tokens == (EOS,)
    assert exact.log_prob > beam.log_prob


def test_a_spent_budget_is_reported_with_the_best_output_so_far() -> None:
    letters = range(4, 13)
    flat = dict.fromkeys(letters, 1 / 9) | {EOS: 1e-6}  # a million prefixes are likelier than an end
    model = MarkovModel.from_table(13, dict.fromkeys((BOS, *letters), flat))
    greedy = finished_of(model, Greedy(), 12)[0]
    strategy = ExactSearch(100, bound=greedy.log_prob, guide=greedy.tokens)
    trace = trace_of(model, strategy, 12)
    assert trace.exploration.stop is Stop.BUDGET
    assert trace.exploration.expanded >= 100
    assert trace.hypotheses[0].log_prob >= greedy.log_prob - 1e-4
    assert any(node.reason is Reason.BUDGET for node in trace.nodes.values())


@pytest.mark.parametrize("strategy", [ExactSearch(), ExhaustiveSearch(3)])
def test_the_trace_is_one_tree_with_one_step_per_length(strategy: ExactSearch | ExhaustiveSearch) -> None:
    trace = trace_of(MarkovModel.random(letters=4, seed=5), strategy, 5)
    assert [step.index for step in trace.steps] == list(range(len(trace.steps)))
    for node in trace.nodes.values():
        assert node.parent is None or trace.nodes[node.parent].step == node.step - 1
    assert trace.exploration.stop is Stop.COMPLETE
    assert not [node for node in trace.nodes.values() if node.reason is Reason.BUDGET]


def test_branches_cut_by_the_bound_could_not_have_won() -> None:
    trace = trace_of(MarkovModel.random(letters=5, seed=2), ExactSearch(), 6)
    best = trace.hypotheses[0].log_prob
    cut = [node for node in trace.nodes.values() if node.reason is Reason.BOUND]
    assert cut
    assert all(node.cumulative <= best + 1e-6 for node in cut)
    expanded = {row.node for step in trace for row in step.rows}
    assert all(node.id in expanded for node in trace.nodes.values() if node.status is Status.KEPT)


@pytest.mark.slow
def test_a_large_search_is_counted_in_full_and_recorded_in_part() -> None:
    trace = trace_of(MarkovModel.random(letters=8, seed=0, end_bias=-2.0), ExhaustiveSearch(4), 5)
    assert trace.exploration.ranked > MAX_RECORDED_NODES >= trace.exploration.recorded - 5 * 4
    for hypothesis in trace.hypotheses:
        assert len(trace.path(hypothesis.node)) == len(hypothesis.token_ids)


@pytest.mark.parametrize(("vocab_size", "steps"), [(3, 1), (3, 4), (5, 3), (2, 6)])
def test_the_number_of_leaves_is_that_of_enumeration(vocab_size: int, steps: int) -> None:
    everything = set(_sequences(vocab_size, steps))
    assert num_leaves(vocab_size, steps) == len(everything)


def _sequences(vocab_size: int, steps: int, prefix: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """All sequences of at most `steps` tokens, of which token 0 is the end."""
    if len(prefix) == steps or (prefix and prefix[-1] == 0):
        return [prefix]
    return [x for token in range(vocab_size) for x in _sequences(vocab_size, steps, (*prefix, token))]


def test_a_space_that_is_too_large_is_refused_with_its_size() -> None:
    with refused(ValueError, "too_many_sequences", "8,000", 20, "1.2 × 10^78"):
        ExhaustiveSearch().check(8000, 20)
    ExhaustiveSearch().check(8000, 1)
    assert num_leaves(60, 3) > MAX_LEAVES > num_leaves(58, 3) - 10_000


@pytest.mark.slow
def test_each_prefix_of_an_allowed_space_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    model, sizes = MarkovModel.random(letters=26, seed=0), list[int]()
    step = model.step

    def counted(tokens: Tensor, *others: Any) -> StepOutput:
        sizes.append(len(tokens))
        return step(tokens, *others)

    monkeypatch.setattr(model, "step", counted)
    result = finished_of(model, ExhaustiveSearch(1), 3)
    assert tokens_of(result) == [ranked(model, 3)[0][1]]
    assert sum(sizes) == 1 + 26 + 26**2
