"""The ranking of every search: best first, ties to the lower index, with and without blocks."""

from __future__ import annotations

import pytest
import torch

from models.decoding.search.beam import (
    BLOCK_SIZE,
    MIN_VALUES_FOR_BLOCKS,
    NEG_INF,
    BeamHypotheses,
    FinishedSequence,
    Pool,
    ranked_sums,
    ranked_top_k,
)

MANY = MIN_VALUES_FOR_BLOCKS
SHAPES = [(1, 40), (3, 4, 9_017), (2, MANY), (8, MANY // 8 + 5), (2, MANY + BLOCK_SIZE - 1)]


def finished(score: float, key: float | None = None, group: int = 0) -> FinishedSequence:
    return FinishedSequence((4, 3), score, score, score, score if key is None else key, True, 0, 0, group)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("k", [1, 5, 17, 60])
@pytest.mark.parametrize("ties", [False, True])
def test_ranked_top_k_equals_a_stable_sort(shape: tuple[int, ...], k: int, ties: bool) -> None:
    values = torch.randn(shape, generator=torch.Generator().manual_seed(k))
    if ties:
        values = (3 * values).round()
        values[..., ::7] = -torch.inf
    expected, order = values.sort(dim=-1, descending=True, stable=True)
    result, indices = ranked_top_k(values, k)
    assert torch.equal(result, expected[..., :k])
    assert torch.equal(indices, order[..., :k])


@pytest.mark.parametrize(
    "shape", [(2, 3, 40), (1, 4, MANY // 4), (3, 4, 9_017), (2, 4, MANY // 8 + 5)], ids=str
)
@pytest.mark.parametrize("k", [1, 8, 17, 60])
@pytest.mark.parametrize("ties", [False, True])
def test_ranked_sums_equals_a_stable_sort_of_all_sums(
    shape: tuple[int, int, int], k: int, ties: bool
) -> None:
    generator = torch.Generator().manual_seed(k)
    log_probs, rank_scores = (
        torch.randn(shape, generator=generator),
        torch.randn(shape[:2], generator=generator),
    )
    rank_scores[0, -1] = NEG_INF  # a row that is empty
    if ties:
        log_probs, rank_scores = (3 * log_probs).round(), rank_scores.round()
    sums = (rank_scores.unsqueeze(-1) + log_probs).flatten(1)
    expected, places = sums.sort(dim=-1, descending=True, stable=True)
    result, indices = ranked_sums(rank_scores, log_probs, k)
    assert torch.equal(result, expected[:, :k])
    assert torch.equal(indices, places[:, :k])


def test_ranked_top_k_reads_the_rest_behind_the_last_block() -> None:
    values = torch.randn(2, MANY + BLOCK_SIZE - 1)
    values[:, -1] = 100.0
    result, indices = ranked_top_k(values, 3)
    assert indices[:, 0].tolist() == [values.shape[1] - 1] * 2
    assert result[:, 0].tolist() == [100.0] * 2


def test_hypotheses_are_the_best_outputs_and_the_earlier_of_equal_ones() -> None:
    hypotheses = BeamHypotheses(2)
    for number, score in enumerate((-2.0, -1.0, -2.0, -3.0)):
        hypotheses.add(finished(score, group=number))
    assert [(output.score, output.group) for output in hypotheses.sequences] == [(-1.0, 1), (-2.0, 0)]
    assert hypotheses.full
    assert hypotheses.worst == -2.0


def test_groups_keep_their_own_outputs_and_share_one_ranking() -> None:
    pool = Pool(4, num_groups=2)
    for group, score in ((0, -5.0), (0, -4.0), (0, -6.0), (1, -1.0)):
        pool.groups[group].add(finished(score, group=group))
    assert [output.score for output in pool.sequences] == [-1.0, -4.0, -5.0]
    assert [hypotheses.full for hypotheses in pool.groups] == [True, False]
