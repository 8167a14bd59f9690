"""The step at which a search loses a better output: random models, compared with the mode of exact search."""

from __future__ import annotations

import math

import pytest

from demo.trace.cards.tree import CARD
from demo.widgets.captions.search import lost_output_caption
from demo.widgets.figures.lost_output import ComparedTrace, LostOutput, lost_output
from demo.widgets.figures.prefixes import prefix_tree
from demo.widgets.figures.race import race_caption, race_figure
from demo.widgets.figures.runners import Who, race
from models.decoding.judge.rescore import rescore_ids
from models.decoding.judge.verdict import ScoredText
from models.decoding.status import Reason, Status
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.exact import ExactSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.trace import DecodingTrace
from tests.demo.widgets.figures.figure_check import checked
from tests.fakes.markov import MarkovModel
from tests.fakes.traces import library_trace, token_id
from tests.models.decoding.search.running import finished_of, trace_of

LENGTH = 6


def compared_with(model: MarkovModel, trace: DecodingTrace, ids: tuple[int, ...]) -> ComparedTrace:
    tokens = rescore_ids(model, [5, 5], ids)
    total = math.fsum(token.log_prob for token in tokens)
    return ComparedTrace.from_trace(trace, ScoredText(" ".join(map(str, ids)), tokens, total, total))


def missed(seed: int) -> tuple[ComparedTrace, LostOutput] | None:
    """A search of one or two paths that misses the mode of a random model; None where it finds it."""
    model = MarkovModel.random(5, seed)
    strategy = Greedy() if seed % 2 else BeamSearch(2)
    trace = trace_of(model, strategy, LENGTH)
    mode = finished_of(model, ExactSearch(), LENGTH)[0].tokens
    if trace.hypotheses[0].token_ids == mode:
        return None
    compared = compared_with(model, trace, mode)
    lost = lost_output(compared)
    assert lost is not None
    return compared, lost


MISSED = [seed for seed in range(60) if missed(seed)]


def test_the_seeds_give_searches_that_miss_the_mode_at_several_steps() -> None:
    steps = {result[1].step for seed in MISSED if (result := missed(seed))}
    assert len(steps) > 1


@pytest.mark.parametrize("seed", MISSED)
def test_the_named_step_is_the_first_without_a_prefix_of_the_mode(seed: int) -> None:
    result = missed(seed)
    assert result is not None
    trace, lost = result
    mode = trace.better.token_ids  # type: ignore[union-attr]

    def survives(length: int) -> bool:
        return any(
            tuple(item.token_id for item in trace.path(node.id)) == mode[:length]
            for node in trace.nodes.values()
            if node.step == length - 1
            and node.status is not Status.PRUNED
            and node.reason is not Reason.DISPLACED
        )

    assert [survives(length) for length in range(1, lost.step + 2)] == [True] * lost.step + [False]
    if lost.dropped is not None:
        assert tuple(node.token_id for node in trace.path(lost.dropped.id)) == mode[: lost.step + 1]
    assert f"at step {lost.step + 1}" in lost_output_caption(trace)
    assert CARD.payload["tree"](trace)["lost"] == (lost.node and lost.node.id)


@pytest.mark.parametrize("seed", MISSED)
def test_the_race_runs_against_the_mode_to_its_end(seed: int) -> None:
    result = missed(seed)
    assert result is not None
    trace, lost = result
    race_of_trace = race(trace)
    assert race_of_trace is not None
    assert race_of_trace.dropped is not None
    assert race_of_trace.dropped.who is Who.BETTER
    assert race_of_trace.dropped.log_prob_after(99) == pytest.approx(trace.better.log_prob)  # type: ignore[union-attr]
    assert race_of_trace.dropped.log_prob_after(99) > race_of_trace.winner.log_prob_after(99)  # type: ignore[operator]
    (cross,) = (line for line in checked(race_figure(race_of_trace)).data if line.meta == "lost")
    assert list(cross.x) == [lost.step + 1]
    assert f"dropped at step {lost.step + 1}, at" in race_caption(trace)
    tree = prefix_tree(trace)
    assert tree is not None
    assert tree.forced_length == 0


def test_no_output_is_lost_without_a_better_one_or_if_the_search_kept_it() -> None:
    trace = library_trace()
    assert lost_output(trace) is None
    assert lost_output_caption(trace) == ""
    assert CARD.payload["tree"](trace)["lost"] is None
    model = MarkovModel.random(5, 0)
    own_trace = trace_of(model, BeamSearch(4), LENGTH)
    assert lost_output(compared_with(model, own_trace, own_trace.hypotheses[0].token_ids)) is None


def test_a_lost_token_outside_the_candidates_is_described_as_such() -> None:
    trace = library_trace()
    model = MarkovModel.random(5, 0)
    better = compared_with(model, trace, (4, 5)).better
    assert better is not None
    lost = lost_output(ComparedTrace.from_trace(trace, better))
    assert lost is not None
    assert (lost.step, lost.dropped, lost.node) == (0, None, None)
    assert "not among the candidates" in lost_output_caption(ComparedTrace.from_trace(trace, better))
    assert token_id("▁the") not in better.token_ids
