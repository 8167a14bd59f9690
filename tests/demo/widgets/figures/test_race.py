"""The race: its runners match their names, and the lead changes at the right steps."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from demo.widgets.figures.prefixes import prefix_tree
from demo.widgets.figures.race import FIGURE, overtaking_sentence, race_caption, race_figure
from demo.widgets.figures.runners import Race, Who, race
from models.decoding.search.strategy import LengthNormalizer
from models.decoding.status import Status
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.trace import BeamNode, DecodingTrace
from tests.demo.widgets.figures.figure_check import checked
from tests.fakes.markov import BOS, EOS, MarkovModel
from tests.fakes.traces import hostile_trace, large_trace, library_trace, translation_trace
from tests.models.decoding.search.running import finished_of, trace_of

LENGTH = 6
A, B, C, D = 4, 5, 6, 7
SEARCHES = [(seed, beam, alpha) for seed in range(8) for beam in (2, 4) for alpha in (0.0, 1.0)]


@pytest.fixture(params=SEARCHES, ids=str)
def run(request: pytest.FixtureRequest) -> tuple[MarkovModel, DecodingTrace, Race]:
    """Searches of random models whose race has another runner beside the winner."""
    seed, beam, alpha = request.param
    model = MarkovModel.random(5, seed)
    trace = trace_of(model, BeamSearch(beam, LengthNormalizer("power", alpha)), LENGTH)
    drawn = race(trace)
    assert drawn is not None
    return model, trace, drawn


def test_every_runner_has_the_numbers_of_the_model_and_never_rises(
    run: tuple[MarkovModel, DecodingTrace, Race],
) -> None:
    model, _, drawn = run
    for runner in drawn.runners:
        tokens = tuple(int(prefix.token) for prefix in runner.path)
        values = [runner.log_prob_after(step) for step in range(1, len(tokens) + 1)]
        assert values == pytest.approx(
            [model.log_prob(tokens[:step]) for step in range(1, len(tokens) + 1)], abs=1e-5
        )
        assert values == sorted(values, reverse=True)


def test_the_names_of_tiny_chances_have_room_beside_the_axis_title(
    run: tuple[MarkovModel, DecodingTrace, Race],
) -> None:
    """Plotly cuts what its margin does not hold."""
    *_, drawn = run
    layout = race_figure(drawn).layout
    longest = max(map(len, layout["yaxis"]["ticktext"]))
    assert layout["margin"]["l"] >= 7 * longest + 30


@pytest.mark.parametrize("nats", [20.0, 690.0, 1200.0, 9000.0])
def test_the_axis_has_few_ticks_for_any_probability(nats: float) -> None:
    """A long sample at a high temperature is less probable than any number but 0."""
    trace = library_trace()
    scale = nats / -min(node.cumulative for step in trace for node in step.nodes)

    def scaled(node: BeamNode) -> BeamNode:
        return node._replace(cumulative=scale * node.cumulative, log_prob=scale * node.log_prob)

    steps = [replace(step, nodes=tuple(map(scaled, step.nodes))) for step in trace]
    drawn = race(replace(trace, steps=tuple(steps)))
    assert drawn is not None
    axis = race_figure(drawn).layout["yaxis"]
    assert 2 <= len(axis["tickvals"]) == len(axis["ticktext"]) <= 8
    assert axis["range"][0] <= min(axis["tickvals"]) < max(axis["tickvals"]) <= 0
    percentages = [text.split(" (")[0] for text in axis["ticktext"] if "%" in text]
    assert percentages
    assert len(set(percentages)) == len(percentages)


def test_the_runners_match_their_names(run: tuple[MarkovModel, DecodingTrace, Race]) -> None:
    model, trace, drawn = run
    winner = tuple(int(prefix.token) for prefix in drawn.winner.path)
    assert winner == trace.hypotheses[0].token_ids
    first_choices = finished_of(model, Greedy(), LENGTH)[0].tokens
    greedy = drawn.greedy or drawn.winner
    path = tuple(int(prefix.token) for prefix in greedy.path)
    assert path == first_choices[: len(path)]


def test_the_dropped_runner_is_the_nearest_dropped_path(run: tuple[MarkovModel, DecodingTrace, Race]) -> None:
    _, trace, drawn = run
    tree = prefix_tree(trace)
    on_paths = {prefix.index for end in tree.hypotheses for prefix in tree.path(end)}
    on_paths |= {prefix.index for runner in (drawn.greedy, drawn.winner) if runner for prefix in runner.path}
    pruned = {node.id for node in trace.nodes.values() if node.status is Status.PRUNED}
    gaps = [
        prefix.log_prob - drawn.winner.log_prob_after(prefix.depth)
        for prefix in tree.prefixes
        if pruned.intersection(prefix.nodes) and prefix.index not in on_paths
        if drawn.winner.log_prob_after(prefix.depth) is not None
    ]
    if drawn.dropped is None:
        assert gaps == []
    else:
        last = drawn.dropped.path[-1]
        assert last.log_prob - drawn.winner.log_prob_after(last.depth) == pytest.approx(max(gaps), abs=2e-6)


def test_the_lead_changes_at_a_marked_step_and_nowhere_else(
    run: tuple[MarkovModel, DecodingTrace, Race],
) -> None:
    _, _, drawn = run
    for other in (drawn.greedy, drawn.dropped):
        if other is None:
            continue
        marked = {
            change.step: change for change in drawn.overtakings if other in (change.ahead, change.behind)
        }
        lead = 0.0
        for step in range(1, max(len(other.path), len(drawn.winner.path)) + 1):
            one, two = drawn.winner.log_prob_after(step), other.log_prob_after(step)
            if one is None or two is None:
                assert all(change < step for change in marked)
                break
            gap = one - two
            assert (gap * lead < 0) == (step in marked)
            if step in marked:
                assert (marked[step].ahead is drawn.winner) == (gap > 0)
            lead = gap or lead


def test_greedy_search_leads_at_the_step_at_which_its_path_leaves_the_winner(
    run: tuple[MarkovModel, DecodingTrace, Race],
) -> None:
    _, _, drawn = run
    if drawn.greedy is None:
        return
    step = next(
        index
        for index, (one, two) in enumerate(zip(drawn.winner.path, drawn.greedy.path, strict=False), 1)
        if one is not two
    )
    assert drawn.greedy.log_prob_after(step) >= drawn.winner.log_prob_after(step)


def test_the_step_at_which_the_winner_overtakes_matches_a_count_by_hand() -> None:
    table = {BOS: {A: 0.6, B: 0.4}, A: {C: 0.5, EOS: 0.5}, B: {D: 1.0}, C: {EOS: 1.0}, D: {EOS: 1.0}}
    drawn = race(trace_of(MarkovModel.from_table(8, table), BeamSearch(3), LENGTH))
    (change,) = (overtaking for overtaking in drawn.overtakings if overtaking.behind.who is Who.GREEDY)
    assert (change.step, change.ahead.who) == (2, Who.WINNER)
    assert drawn.greedy.ended
    assert math.exp(drawn.greedy.log_prob_after(9)) == pytest.approx(0.3, abs=1e-5)


def test_the_race_has_a_line_for_each_runner() -> None:
    figure = checked(race_figure(race(library_trace())))
    lines = {trace.meta: trace for trace in figure.data}
    assert list(lines) == ["dropped", "greedy", "winner", "overtaking"]
    assert list(lines["winner"].x) == [0, 1, 2, 3]
    assert list(lines["winner"].y) == pytest.approx(
        [0, math.log(0.4), math.log(0.36), math.log(0.324)], abs=1e-4
    )
    assert list(lines["winner"].customdata) == [[], [1], [3], [6]]
    assert list(lines["greedy"].text) == ["start", "␣the", "␣book", "&lt;/s&gt;"]
    assert list(lines["overtaking"].x) == [2, 2]
    assert all("%" in text and "−" in text for text in figure.layout.yaxis.ticktext[:-1])


def test_the_sentence_names_the_overtaking_runners() -> None:
    assert race_caption(library_trace()) == (
        "At step 1 the winner takes “␣a” and greedy “␣the”: 40.0% (−0.92 nats) against 50.0% (−0.69 nats) "
        "so far. At step 2 the winner overtakes greedy: 36.0% (−1.02 nats) against 22.5% (−1.49 nats). "
        "At step 2 the winner overtakes the dropped path: 36.0% (−1.02 nats) against 20.0% (−1.61 nats). "
        "In the end greedy has 18.0% (−1.71 nats), the winner 32.4% (−1.13 nats). "
        "The dropped path that was nearest to the winner took “␣bank” at step 2: 55.6% as probable "
        "there (0.59 nats behind)."
    )
    assert race_caption(translation_trace()).startswith("Greedy and the winner are the same path.")


def test_hostile_traces_give_no_tags_and_large_traces_small_figures() -> None:
    texts = [text for line in checked(race_figure(race(hostile_trace()))).data for text in line.text or ()]
    assert not any("<img" in text or "</script" in text for text in texts)
    assert len(checked(race_figure(race(large_trace()))).to_json()) < 60_000


def test_a_race_needs_two_paths() -> None:
    nothing = DecodingTrace("x", "", (), "beam", {}, (), ())
    assert FIGURE.draw(nothing) is None
    assert race_caption(nothing) == ""
    assert race(replace(library_trace(), hypotheses=())) is None
    assert race(trace_of(MarkovModel.from_table(6, {BOS: {A: 1.0}}), Greedy(), 3)) is None


def test_the_sentence_names_the_last_change_of_the_lead(run: tuple[MarkovModel, DecodingTrace, Race]) -> None:
    _, trace, drawn = run
    caption = race_caption(trace)
    for other in (drawn.greedy, drawn.dropped):
        changes = [change for change in drawn.overtakings if other in (change.ahead, change.behind)]
        if other is not None and changes:
            assert overtaking_sentence(drawn, changes[-1]) in caption
