"""Scores from the statistics of sentences: those of the corpus, and intervals known from probability."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from models.metrics.bootstrap import (
    NUM_RESAMPLES,
    SentenceStatistics,
    bleu_statistics,
    chrf_statistics,
    exact_matches,
    measure,
)

OUTPUTS = ["the cat sat on the mat today", "he is very calm", "good morning to you all", "我喜欢吃苹果。"]
REFERENCES = [
    ["the cat sat on the mat"],
    ["he is calm", "he is very calm"],
    ["good morning to everyone", "hi"],
    ["我很喜欢吃苹果。"],
]


@pytest.mark.parametrize("language", ["", "zh"])
@pytest.mark.parametrize("indices", [[0, 1, 2, 3], [1], [3, 0]])
def test_bleu_is_that_of_the_corpus_metric(language: str, indices: list[int]) -> None:
    corpus = measure([OUTPUTS[i] for i in indices], [REFERENCES[i] for i in indices], language)
    sentences = bleu_statistics(OUTPUTS, REFERENCES, language)
    assert sentences.subset(indices).value() == pytest.approx(corpus.bleu)
    assert sentences.signature.replace("nrefs:var", "") == bleu_statistics(
        OUTPUTS[:1], REFERENCES[:1], language
    ).signature.replace("nrefs:1", "")


def test_exact_matches_are_counted() -> None:
    sentences = exact_matches(OUTPUTS, REFERENCES)
    assert sentences.value() == 25.0
    assert sentences.subset([1]).value() == 100.0


def share(right: int, wrong: int) -> SentenceStatistics:
    return exact_matches(["a"] * (right + wrong), [["a"]] * right + [["b"]] * wrong)


def sentences_of(right: int, wrong: int) -> SentenceStatistics:
    """The same statistics with a score that is not known to be a share: its interval needs resamples."""
    return SentenceStatistics(share(right, wrong).statistics, lambda sums: float(100 * sums[0] / sums[1]))


@pytest.mark.parametrize("make", [share, sentences_of])
def test_the_interval_is_that_of_a_binomial_distribution(
    make: Callable[[int, int], SentenceStatistics],
) -> None:
    """400 coins of which half are heads: the mean of as many draws has a standard error of 2.5 points."""
    low, high = make(200, 200).interval()
    assert low == pytest.approx(50 - 1.96 * 100 * math.sqrt(0.25 / 400), abs=0.5)
    assert high == pytest.approx(50 + 1.96 * 100 * math.sqrt(0.25 / 400), abs=0.5)


@pytest.mark.parametrize(
    ("right", "wrong", "interval"),
    # Newcombe 1998, Two-sided confidence intervals for the single proportion, table I, method 3.
    [(81, 182, (25.53, 36.62)), (15, 133, (6.24, 16.05)), (0, 20, (0, 16.11)), (1, 28, (0.61, 17.18))],
)
def test_the_interval_of_a_share_is_that_of_the_literature(
    right: int, wrong: int, interval: tuple[float, float]
) -> None:
    assert share(right, wrong).interval() == pytest.approx(interval, abs=0.006)
    low, high = interval
    assert share(wrong, right).interval() == pytest.approx((100 - high, 100 - low), abs=0.006)


def test_the_interval_of_a_perfect_score_has_a_lower_end() -> None:
    low, high = share(200, 0).interval()
    assert high == pytest.approx(100)
    assert low < share(196, 4).interval()[1]  # Fisher's exact test gives p = 0.12
    assert low > share(180, 20).interval()[1]
    assert (share(200, 0).resamples, sentences_of(200, 0).resamples) == (0, NUM_RESAMPLES)


@pytest.mark.full
def test_many_outputs_take_no_more_memory_than_a_block() -> None:
    sentences = sentences_of(30_000, 10_000)
    tracemalloc.start()
    low, high = sentences.interval()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert low < 75 < high
    assert peak < 100e6  # all resamples at once would be 640 MB


def test_blocks_give_the_same_draws_as_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = sentences_of(30, 10).interval()
    monkeypatch.setattr("models.metrics.bootstrap.MAX_DRAWS", 40 * 7)
    assert sentences_of(30, 10).interval() == whole


def test_four_times_the_sentences_halve_the_interval() -> None:
    few, many = (
        bleu_statistics(OUTPUTS[:3] * times, REFERENCES[:3] * times).interval() for times in (20, 80)
    )
    assert (few[1] - few[0]) / (many[1] - many[0]) == pytest.approx(2, rel=0.15)


def test_equal_sentences_have_an_interval_of_width_zero() -> None:
    sentences = bleu_statistics(OUTPUTS[:1] * 7, REFERENCES[:1] * 7)
    assert sentences.interval() == pytest.approx((sentences.value(), sentences.value()))


def test_an_interval_depends_on_its_seed_and_contains_the_score() -> None:
    values = SentenceStatistics(np.array([[i, 1] for i in range(50)]), lambda sums: float(sums[0] / sums[1]))
    assert values.interval(seed=1) == values.interval(seed=1) != values.interval(seed=2)
    low, high = values.interval()
    assert 0 < low < values.value() < high < 49


@pytest.mark.parametrize("score", [bleu_statistics, exact_matches])
@pytest.mark.parametrize(
    ("outputs", "references", "name"),
    [([], [], "outputs"), (["a"], [["a"], ["b"]], "outputs"), (["a"], [[]], "reference")],
)
def test_unequal_lists_are_refused(score, outputs, references, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        score(outputs, references)


@pytest.mark.parametrize("indices", [[0, 1, 2, 3], [1], [3, 0]])
def test_chrf_is_that_of_the_corpus_metric(indices: list[int]) -> None:
    corpus = measure([OUTPUTS[i] for i in indices], [REFERENCES[i] for i in indices])
    assert chrf_statistics(OUTPUTS, REFERENCES).subset(indices).value() == pytest.approx(corpus.chrf)
