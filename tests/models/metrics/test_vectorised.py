"""Scores of many sums at once, beside sacrebleu's of each."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from models.metrics.bootstrap import bleu_scores, bleu_statistics, chrf_scores, chrf_statistics


def random_statistics(columns: int, seed: int = 0) -> NDArray[np.int64]:
    """Random statistics, some with many zeros."""
    rng = np.random.default_rng(seed)
    sums = rng.integers(0, 50, size=(500, columns))
    return np.where(rng.random(sums.shape) < rng.random((500, 1)), sums, 0)


def test_bleu_is_that_of_sacrebleu() -> None:
    rng = np.random.default_rng(1)
    sums = random_statistics(10)
    sums[:, 6:] = np.where(rng.random((500, 4)) < 0.9, np.maximum(sums[:, 2:6], sums[:, 6:]), 0)
    sums[:, 2:6] = np.minimum(sums[:, 2:6], sums[:, 6:])  # no more matches than n-grams
    sums[:, 0] = np.maximum(sums[:, 0], sums[:, 6])
    expected = [BLEU()._compute_score_from_stats([int(number) for number in row]).score for row in sums]
    assert sum(score > 0 for score in expected) > 100
    assert bleu_scores(sums) == pytest.approx(expected, abs=1e-9)


def test_chrf_is_that_of_sacrebleu() -> None:
    sums = random_statistics(18)
    sums[:, 2::3] = np.minimum(sums[:, 2::3], np.minimum(sums[:, ::3], sums[:, 1::3]))
    expected = [CHRF()._compute_score_from_stats([int(number) for number in row]).score for row in sums]
    assert sum(score > 0 for score in expected) > 100
    assert chrf_scores(sums) == pytest.approx(expected, abs=1e-9)


def test_vectorised_and_plain_scores_of_a_bootstrap_agree() -> None:
    outputs = ["the cat sleeps", "a dog", "", "one two three four five six"]
    references = [["the cat sleeps"], ["the dog"], ["nothing"], ["one two three five four six", "six"]]
    for sentences in (bleu_statistics(outputs, references), chrf_statistics(outputs, references)):
        expected = [sentences.score(row) for row in sentences.statistics]
        assert sentences.scores(sentences.statistics) == pytest.approx(expected, abs=1e-9)
