"""Differences of two systems, compared with the tests of sacrebleu."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from models.metrics import bootstrap
from models.metrics.bootstrap import (
    Scores,
    SentenceStatistics,
    Sums,
    bleu_statistics,
    chrf_statistics,
    exact_matches,
    ter_statistics,
)
from models.metrics.significance import difference

WORDS = [
    "the",
    "cat",
    "dog",
    "house",
    "red",
    "old",
    "sees",
    "eats",
    "a",
    "on",
    "in",
    "under",
    "big",
    "small",
    "tree",
]


def corrupted(texts: list[str], share: float, seed: int) -> list[str]:
    rng = random.Random(seed)
    return [
        " ".join(rng.choice(WORDS) if rng.random() < share else word for word in text.split())
        for text in texts
    ]


@pytest.fixture(scope="module")
def texts() -> tuple[list[str], list[str], list[str]]:
    rng = random.Random(0)
    references = [" ".join(rng.choices(WORDS, k=rng.randint(4, 12))) for _ in range(120)]
    return references, corrupted(references, 0.30, 1), corrupted(references, 0.33, 2)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "sides"), [("ar", 1), ("bs", 2)])
def test_p_values_are_those_of_sacrebleu(
    texts: tuple[list[str], list[str], list[str]], kind: str, sides: int
) -> None:
    """sacrebleu's bootstrap counts larger differences of the same sign alone, ours those of either sign."""
    references, ours, theirs = texts
    single = [[text] for text in references]
    comparison = difference(bleu_statistics(ours, single), bleu_statistics(theirs, single))
    _, scores = PairedTest([("theirs", theirs), ("ours", ours)], {"BLEU": BLEU()}, [references], kind, 2000)()
    expected = sides * scores["BLEU"][1].p_value
    p = comparison.randomisation_p if kind == "ar" else comparison.bootstrap_p
    assert 0.001 < expected < 0.9  # otherwise nothing is compared
    assert p == pytest.approx(expected, abs=4 * (expected * (1 - expected) / 2000) ** 0.5 + 0.002)
    assert comparison.low < comparison.value < comparison.high


@pytest.mark.slow
def test_one_in_twenty_pairs_of_equal_systems_differs_at_5_percent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "NUM_RESAMPLES", 400)
    rng = np.random.default_rng(0)
    comparison = []
    for pair in range(400):
        both = rng.normal(50, 20, 100) + rng.normal(0, 10, (2, 100))  # easy and hard sources
        ours, theirs = (
            SentenceStatistics(np.stack([scores, np.ones(100)], axis=1), mean, at_once=means)
            for scores in both
        )
        result = difference(ours, theirs, seed=pair, trials=400)
        comparison.append((result.bootstrap_p, result.randomisation_p))
    for level in (0.05, 0.25, 0.5):
        tolerance = 4 * (level * (1 - level) / len(comparison)) ** 0.5
        assert np.mean(np.array(comparison) <= level, axis=0) == pytest.approx([level, level], abs=tolerance)


def mean(sums: Sums) -> float:
    return float(sums[0] / sums[1])


def means(sums: Sums) -> Scores:
    return np.asarray(sums[:, 0] / sums[:, 1], dtype=np.float64)


def test_a_system_does_not_differ_from_itself(texts: tuple[list[str], list[str], list[str]]) -> None:
    references, ours, _ = texts
    same = chrf_statistics(ours, [[text] for text in references])
    comparison = difference(same, same, trials=200)
    assert (comparison.value, comparison.low, comparison.high) == (0, 0, 0)
    assert (comparison.bootstrap_p, comparison.randomisation_p) == (1, 1)
    assert not comparison.significant


@pytest.mark.slow
def test_a_clear_difference_is_significant_by_any_metric(
    texts: tuple[list[str], list[str], list[str]],
) -> None:
    references, ours, _ = texts
    single = [[text] for text in references]
    bad = corrupted(references, 0.9, 3)
    for metric in (bleu_statistics, chrf_statistics, ter_statistics, exact_matches):
        comparison = difference(metric(ours, single), metric(bad, single), trials=500)
        assert comparison.significant
        assert (comparison.value > 0) is (metric is not ter_statistics)


def test_systems_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"1.*2"):
        difference(exact_matches(["a"], [["a"]]), exact_matches(["a", "b"], [["a"], ["b"]]))
