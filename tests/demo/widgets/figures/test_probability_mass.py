"""The icicle: blocks tile the probability, hypotheses are paths, and a sentence states what is proven."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from demo.widgets.figures.probability_mass import (
    FIGURE,
    MAX_LABELS,
    BlockKind,
    ProbabilityMass,
    mass_caption,
    probability_mass,
    probability_mass_figure,
)
from models.decoding.status import Stop
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.strategies.sampling import Sampling
from models.decoding.trace import DecodingTrace, Exploration
from tests.demo.widgets.figures.figure_check import checked
from tests.fakes.markov import MarkovModel
from tests.fakes.traces import hostile_trace, large_trace, library_trace
from tests.models.decoding.search.running import trace_of

ROUNDING = 2e-5
TRACES = {
    "by hand": library_trace(),
    "beam": trace_of(MarkovModel.random(14, 3), BeamSearch(4), 6),
    "samples": replace(trace_of(MarkovModel.random(3, 3), Sampling(20), 6), strategy="sampling"),
}


def mass_of(trace: DecodingTrace) -> ProbabilityMass:
    mass = probability_mass(trace)
    assert mass is not None
    return mass


@pytest.fixture(params=TRACES.values(), ids=TRACES.keys())
def mass(request: pytest.FixtureRequest) -> ProbabilityMass:
    return mass_of(request.param)


def test_the_children_of_an_explored_block_fill_its_width(mass: ProbabilityMass) -> None:
    by_prefix = {block.prefix: block for block in mass.blocks if block.kind is not BlockKind.UNNAMED}
    unnamed = [block for block in mass.blocks if block.kind is BlockKind.UNNAMED]
    for prefix in mass.tree.prefixes:
        block = by_prefix[prefix.index]
        below = [by_prefix[child] for child in prefix.children]
        below += [other for other in unnamed if other.prefix == prefix.index]
        if block.kind is not BlockKind.EXPLORED:
            assert below == []
            continue
        assert math.fsum(other.width for other in below) == pytest.approx(block.width, abs=ROUNDING)
        edge = block.left
        for other in sorted(below, key=lambda other: other.left):
            assert other.left == pytest.approx(edge, abs=1e-9)
            assert other.depth == block.depth + 1
            edge += other.width


def test_the_most_probable_child_stands_first(mass: ProbabilityMass) -> None:
    lefts = {block.prefix: block.left for block in mass.blocks if block.kind is not BlockKind.UNNAMED}
    for prefix in mass.tree.prefixes:
        children = sorted(prefix.children, key=lambda child: lefts[child])
        masses = [mass.tree.prefixes[child].mass for child in children]
        assert masses == sorted(masses, reverse=True)


def test_every_hypothesis_runs_through_the_root_and_ends_somewhere(mass: ProbabilityMass) -> None:
    assert mass.through[0] == len(mass.tree.hypotheses) > 0
    for index, count in mass.through.items():
        onward = sum(mass.through.get(child, 0) for child in mass.tree.prefixes[index].children)
        assert count == onward + mass.tree.hypotheses.count(index)


def test_each_kind_of_block_has_its_bars() -> None:
    figure = checked(probability_mass_figure(mass_of(library_trace())))
    bars = {trace.meta: trace for trace in figure.data if trace.type == "bar"}
    assert list(bars) == [kind.value for kind in BlockKind]
    ended = bars["ended"]
    drawn = dict(zip((tuple(ids) for ids in ended.customdata), ended.x, strict=True))
    assert drawn[(6,)] == pytest.approx(0.4 * 0.9 * 0.9, abs=1e-6)
    assert set(ended.text) == {"&lt;/s&gt;"}
    assert figure.layout.height > 4 * 21
    assert {trace.meta for trace in figure.data if trace.type == "scatter"} == {"path"}


def test_the_chart_of_a_large_search_stays_small() -> None:
    figure = checked(probability_mass_figure(mass_of(large_trace())))
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert sum(bool(text) for trace in bars for text in trace.text) <= MAX_LABELS + 1
    assert len(figure.to_json()) < 200_000


def test_no_token_becomes_a_tag() -> None:
    figure = checked(probability_mass_figure(mass_of(hostile_trace())))
    for trace in figure.data:
        for text in trace.text or ():
            assert "<img" not in text
            assert "</script" not in text


def test_a_beam_that_proves_the_mode_is_described_as_such() -> None:
    caption = mass_caption(library_trace())
    assert "holds 32.4% (−1.13 nats): 3 tokens of 68.7% each on average" in caption
    assert "All outputs that were seen hold 50.4%" in caption
    assert caption.endswith(
        "No output in the grey has more than 20.0% (−1.61 nats), the bound after “␣the ␣bank”, "
        "so nothing is more probable."
    )


def test_an_unproven_mode_is_described_as_such() -> None:
    trace = trace_of(MarkovModel.random(14, 3), Greedy(), 6)
    bound, _ = mass_of(trace).tree.bound
    caption = mass_caption(trace)
    assert "The grey may hide a better one" in caption
    assert f"up to {100 * math.exp(bound):.1f}%" in caption


def test_a_proof_of_the_search_precedes_the_bound_of_the_chart() -> None:
    proved = replace(library_trace(), strategy="exact", exploration=Exploration(9, 9, 9, Stop.COMPLETE))
    assert mass_caption(proved).endswith("No output of this model is more probable than the first one.")
    ended = replace(proved, exploration=Exploration(9, 9, 9, Stop.BUDGET, 9))
    assert "bound after" in mass_caption(ended)


def test_the_mass_of_a_trace_without_candidates_or_outputs_can_be_captioned() -> None:
    nothing = DecodingTrace("x", "", (), "beam", {}, (), ())
    assert FIGURE.draw(nothing) is None
    assert mass_caption(nothing) == ""
    caption = mass_caption(replace(library_trace(), hypotheses=(), steps=library_trace().steps[:2]))
    assert caption == "No whole output was seen: all of the probability is still open."
