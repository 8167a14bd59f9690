"""A depth-first search drops nodes while it runs, but none that its trace needs."""

from __future__ import annotations

from typing import Any

import pytest

from models.decoding.record import retained
from models.decoding.record.observed import ObservedStep
from models.decoding.record.retained import MAX_RECORDED_NODES, Observations
from models.decoding.strategies.exact import ExactSearch
from models.decoding.strategies.exhaustive import ExhaustiveSearch
from tests.fakes.markov import MarkovModel
from tests.models.decoding.search.running import trace_of

LENGTH = 5


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Make the recorder forget at every step; lists the numbers of rows and candidates that it keeps."""
    sizes: list[tuple[int, int]] = []
    add = Observations.add

    def counted(self: Observations, step: ObservedStep) -> None:
        add(self, step)
        sizes.append((sum(len(x.rows) for x in self.steps), sum(len(x.ids) for x in self.steps)))

    monkeypatch.setattr(Observations, "add", counted)
    monkeypatch.setattr(retained, "MIN_LARGE_BYTES", 1 << 10)
    monkeypatch.setattr(retained, "MIN_LARGE_CANDIDATES", 16)
    return sizes


@pytest.mark.parametrize("strategy", [ExactSearch(), ExactSearch(300), ExhaustiveSearch(5)])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("end_bias", [-4.0, 1.0])
def test_forgetting_early_does_not_change_the_trace(
    strategy: Any, seed: int, end_bias: float, request: Any
) -> None:
    model = MarkovModel.random(letters=5, seed=seed, end_bias=end_bias)
    complete = trace_of(model, strategy, LENGTH)
    request.getfixturevalue("forgetful")
    assert trace_of(model, strategy, LENGTH) == complete


@pytest.mark.slow
def test_the_number_of_retained_rows_does_not_grow_with_the_search(forgetful: list[tuple[int, int]]) -> None:
    model = MarkovModel.random(letters=8, seed=0, end_bias=-4.0)
    trace = trace_of(model, ExhaustiveSearch(1), LENGTH)
    most_rows, most_candidates = (max(column) for column in zip(*forgetful, strict=True))
    assert trace.exploration is not None
    # The most probable, those that others still grow from, and as many that have come since.
    assert most_rows < 2 * (MAX_RECORDED_NODES + LENGTH * ExhaustiveSearch.width) + ExhaustiveSearch.width
    assert trace.exploration.expanded > 5 * most_rows
    assert trace.exploration.ranked > 5 * most_candidates
