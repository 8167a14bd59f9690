"""The nearest are those that brute force in double precision finds, and their votes are the paper's."""

from __future__ import annotations

import math
import random

import pytest
import torch
from torch import Tensor

from models.corpus.generated.all_tasks import generate
from models.inspection.neighbours.search import (
    DISTANCE_METRICS,
    Neighbour,
    nearest,
    neighbours,
    voters,
    votes,
)
from models.inspection.neighbours.states import STATE_KINDS
from models.inspection.neighbours.store import states_at_once
from tests.models.inspection.neighbours.test_states import load


def brute_force(vectors: Tensor, query: Tensor, metric: str) -> list[float]:
    """Distances of all, one by one, in double precision."""
    distances = []
    for vector in vectors.double():
        if metric == "euclidean":
            distances.append(math.dist(vector.tolist(), query.double().tolist()))
        else:
            lengths = float(vector.norm() * query.double().norm())
            distances.append(1 - float(vector @ query.double()) / lengths if lengths else 1.0)
    return distances


@pytest.mark.parametrize("metric", DISTANCE_METRICS)
# Far from zero, products of single precision tell nothing apart.
@pytest.mark.parametrize("shift", [0.0, 100.0])
def test_the_nearest_are_those_of_brute_force_in_double_precision(metric: str, shift: float) -> None:
    generator = torch.Generator().manual_seed(0)
    vectors = (torch.randn(900, 33, generator=generator) + shift).half()
    query = torch.randn(33, generator=generator) + shift
    distances = brute_force(vectors, query, metric)
    expected = sorted(range(len(vectors)), key=distances.__getitem__)
    for k in (1, 7, 900, 2000):
        rows, result = nearest(vectors, query, k, metric)
        assert rows.tolist() == expected[:k]
        assert result.tolist() == pytest.approx(sorted(distances)[:k], abs=1e-12)
        squares = vectors.double().square().sum(dim=1).float()
        assert nearest(vectors, query, k, metric, squares)[0].tolist() == expected[:k]


@pytest.mark.parametrize("metric", DISTANCE_METRICS)
def test_a_vector_is_nearest_to_itself_and_ties_keep_their_order(metric: str) -> None:
    vectors = torch.randn(50, 8, generator=torch.Generator().manual_seed(1)).half()
    vectors[30] = vectors[7]
    for row in range(50):
        rows, distances = nearest(vectors, vectors[row].float(), 3, metric)
        assert rows[0] == (7 if row == 30 else row)
        assert distances[0] == pytest.approx(0, abs=1e-7)
    assert nearest(vectors, vectors[7].float(), 2, metric)[0].tolist() == [7, 30]


def test_a_zero_vector_has_cosine_distance_one() -> None:
    vectors = torch.tensor([[0.0, 0.0], [-1.0, 0.0], [1.0, 0.0]]).half()
    rows, distances = nearest(vectors, torch.tensor([2.0, 0.0]), 3, "cosine")
    assert rows.tolist() == [2, 0, 1]
    assert distances.tolist() == [0.0, 1.0, 2.0]
    assert nearest(vectors, torch.zeros(2), 3, "cosine")[1].tolist() == [1.0, 1.0, 1.0]


def test_an_empty_store_has_no_neighbours_and_an_unknown_metric_is_refused() -> None:
    assert nearest(torch.zeros(0, 4), torch.zeros(4), 3)[0].tolist() == []
    with pytest.raises(ValueError, match=r"metric.*'dot'"):
        nearest(torch.zeros(1, 4), torch.zeros(4), 3, "dot")


@pytest.mark.parametrize("kind", STATE_KINDS)
def test_a_stored_state_is_among_its_own_nearest_neighbours(kind: str) -> None:
    checkpoint = load("reverse-gru")
    pairs = tuple(dict(generate("reversal", 300, random.Random(3))).items())
    store = states_at_once(checkpoint, pairs)
    table = store.parts[0].tables[kind]
    for row in range(0, len(table), 97):
        nearest_states = neighbours(store.parts, kind, table.vectors[row].float(), 5)
        assert nearest_states[0].distance == 0
        expected = (store.parts[0].pairs[int(table.pairs[row])], int(table.places[row]))
        assert expected in [
            (neighbour.pair, neighbour.position) for neighbour in nearest_states if neighbour.distance == 0
        ]
        assert [neighbour.distance for neighbour in nearest_states] == sorted(
            neighbour.distance for neighbour in nearest_states
        )


def test_parts_are_searched_as_one() -> None:
    checkpoint = load("reverse-gru")
    pairs = generate("reversal", 60, random.Random(4))
    whole, halves = (
        [part for some in groups for part in states_at_once(checkpoint, some).parts]
        for groups in ([pairs], [pairs[:30], pairs[30:]])
    )
    query = torch.randn(128, generator=torch.Generator().manual_seed(0))
    one, other = (neighbours(parts, "context", query, 9) for parts in (whole, halves))
    assert [near.pair for near in one] == [near.pair for near in other]
    assert [near.distance for near in one] == pytest.approx([near.distance for near in other], abs=1e-3)


def neighbour(token: int, squared: float) -> Neighbour:
    return Neighbour(math.sqrt(squared), token, ("", ""), 0)


def test_votes_are_those_of_the_paper() -> None:
    voters = [neighbour(5, 1.0), neighbour(6, 2.0), neighbour(5, 3.0)]
    weights = [math.exp(-d / 2) for d in (1.0, 2.0, 3.0)]
    total = sum(weights)
    assert votes(voters, 2) == pytest.approx({5: (weights[0] + weights[2]) / total, 6: weights[1] / total})
    assert votes([neighbour(1, 1e6), neighbour(2, 2e6)], 1) == pytest.approx({1: 1.0, 2: 0.0})
    assert votes([], 1) == {}
    with pytest.raises(ValueError, match="temperature"):
        votes(voters, 0)


def test_near_neighbours_count_as_voters() -> None:
    assert voters([neighbour(token, 4.0) for token in range(7)], 10) == pytest.approx(7)
    assert voters([neighbour(5, 1.0), neighbour(6, 5000.0)], 10) == pytest.approx(1)
    result = [neighbour(5, 1.0), neighbour(6, 2.0), neighbour(5, 3.0)]
    assert 1 < voters(result, 0.5) < voters(result, 5) < 3
