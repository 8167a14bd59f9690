"""Sentences with most, least, closest or furthest name the extreme of the data beside them."""

from __future__ import annotations

import random
import re
from itertools import pairwise

import pytest

from demo.widgets.captions.quality import quality_sentence
from demo.widgets.captions.search import quoted_token, tree_caption
from demo.widgets.captions.trace import CERTAIN_NATS, output_caption, ranking_caption, step_caption
from demo.widgets.figures.curves.quality_by_length import quality_charts
from models.decoding.search.strategy import LengthNormalizer
from models.decoding.status import Status
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.trace import DecodingTrace
from models.registry.quality_by_length import LengthBin, QualityByLength
from tests.demo.widgets.figures.curves.test_quality_by_length import quality
from tests.fakes.markov import MarkovModel
from tests.models.decoding.search.running import trace_of

LENGTH = 6
STRATEGIES = [Greedy(), BeamSearch(2), BeamSearch(4, LengthNormalizer("power", 1.0))]


@pytest.fixture(params=range(36))
def trace(request: pytest.FixtureRequest) -> DecodingTrace:
    return trace_of(MarkovModel.random(5, request.param), STRATEGIES[request.param % 3], LENGTH)


def test_the_caption_names_the_least_probable_token_of_the_shown_output(trace: DecodingTrace) -> None:
    for hypothesis in trace.hypotheses:
        path = trace.path(hypothesis.node)
        least = min(path, key=lambda node: node.log_prob)
        assert f"{quoted_token(least)} at step {least.step + 1}," in output_caption(path)


def test_the_caption_names_the_highest_entropy_of_the_shown_output(trace: DecodingTrace) -> None:
    for hypothesis in trace.hypotheses:
        path = trace.path(hypothesis.node)
        entropies = [trace.row(node).entropy for node in path]
        if max(entropies) >= CERTAIN_NATS:
            assert f"step {entropies.index(max(entropies)) + 1}:" in step_caption(trace, path)


def test_the_tree_caption_names_the_best_paths_largest_deficit_or_closest_call(trace: DecodingTrace) -> None:
    path = trace.path(trace.hypotheses[0].node)
    remaining = [
        [node.cumulative for node in step.nodes if node.status is not Status.PRUNED] for step in trace.steps
    ]
    behind = [max(remaining[node.step], default=node.cumulative) - node.cumulative for node in path]
    if max(behind) > 0:
        assert f"step {behind.index(max(behind)) + 1} " in tree_caption(trace)
    elif all(node.token_rank == 0 for node in path):
        tops = [trace.row(node).top for node in path]
        leads = [top[0].log_prob - top[1].log_prob for top in tops]
        assert f"step {leads.index(min(leads)) + 1}:" in tree_caption(trace)


def test_the_caption_names_the_hypothesis_of_highest_log_probability(trace: DecodingTrace) -> None:
    sums = [hypothesis.log_prob for hypothesis in trace.hypotheses]
    first = sums.index(max(sums)) + 1
    if first > 1:
        assert f"hypothesis {first} " in ranking_caption(trace)


def random_quality(rng: random.Random, name: str) -> QualityByLength:
    values = [rng.uniform(10, 90) for _ in range(4)]
    widths = [rng.choice((1.0, 30.0)) for _ in values]
    bins = tuple(
        LengthBin(index, index, 50, value, max(0.0, value - width), min(100.0, value + width))
        for index, (value, width) in enumerate(zip(values, widths, strict=True), 1)
    )
    return quality(name, 0, bins=bins)


@pytest.mark.parametrize("seed", range(60))
def test_a_wider_gap_than_the_named_one_is_named_too(seed: int) -> None:
    rng = random.Random(seed)
    (chart,) = quality_charts(random_quality(rng, name) for name in "ab"[: 1 + seed % 2])
    sentence = quality_sentence(chart)
    if len(chart.lines) == 2:
        gaps = [
            abs(one.value - other.value)
            for one, other in zip(*(line.bins for line in chart.lines), strict=True)
        ]
    else:
        gaps = [one.value - other.value for one, other in pairwise(chart.lines[0].bins)]
    widest = chart.spans[gaps.index(max(gaps))]
    if "behind at" in sentence or "steeply" in sentence:
        assert re.search(rf"(at|from|At|From) {widest} ", sentence)
