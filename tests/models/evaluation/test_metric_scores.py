"""Figures, calibration, breakdowns and n-grams, compared with sacrebleu and with counts by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from models.evaluation.breakdowns import (
    by_sentence_score,
    by_source_length,
    by_training_frequency,
    ngram_differences,
)
from models.evaluation.segments import segments_of_pairs
from models.evaluation.systems import PERPLEXITY, metric_score
from models.evaluation.text_scores import TextScores, calibration
from tests.models.evaluation.results import OUTPUTS, PAIRS, result

REFERENCES = [[reference for _, reference in PAIRS]]


def test_figures_are_those_of_sacrebleu() -> None:
    by_name = {name: metric_score(name, of_metric) for name, of_metric in result().statistics.items()}
    for name, metric in (("BLEU", BLEU()), ("chrF", CHRF()), ("TER", TER())):
        expected = metric.corpus_score(list(OUTPUTS), REFERENCES).score
        assert by_name[name].value == pytest.approx(expected, abs=1e-9)
        assert by_name[name].signature == str(metric.get_signature())
        assert by_name[name].low <= by_name[name].value <= by_name[name].high
    assert by_name["exact match"].value == 25
    assert [name for name, figure in by_name.items() if figure.lower_is_better] == ["TER"]
    assert PERPLEXITY not in by_name  # it needs the network that wrote the outputs


def test_perplexity_is_that_of_all_tokens() -> None:
    texts = tuple(TextScores((-1.0,) * n, (0.5,) * n, (True,) * n) for n in (1, 2, 3, 4))
    statistics = replace(result(), reference_scores=texts).statistics[PERPLEXITY]
    score = metric_score(PERPLEXITY, statistics)
    assert score.value == pytest.approx(math.e)
    assert score.lower_is_better


def test_calibration_matches_a_count_by_hand() -> None:
    calibrated = calibration(
        [TextScores((-1.0, -1.0), (0.95, 1.0), (True, True)), TextScores((-1.0,), (0.25,), (True,))]
    )
    assert [(bin.low, bin.count, bin.confidence, bin.accuracy) for bin in calibrated.bins] == [
        (0.2, 1, 0.25, 1.0),
        (0.9, 2, pytest.approx(0.975), 1.0),
    ]
    assert calibrated.error == pytest.approx((0.75 + 2 * 0.025) / 3)
    assert (calibrated.confidence, calibrated.accuracy) == (pytest.approx(2.2 / 3), 1.0)
    with pytest.raises(ValueError, match="calibration"):
        calibration([])


def test_ngram_differences_match_a_count_by_hand() -> None:
    outputs = ["the the cat", "a the", "the dog"]
    references = [["the cat"], ["a dog", "one dog"], ["the dog sleeps", "dog sleeps"]]
    differences = ngram_differences(outputs, references, "en")
    assert [(ngram.words, ngram.surplus, ngram.lack, ngram.matched) for ngram in differences.over] == [
        (("the",), 2, 0, 2)
    ]
    assert [(ngram.words, ngram.lack, ngram.example) for ngram in differences.under] == [
        (("dog",), 1, 1),
        (("sleeps",), 1, 2),
    ]
    pairs = ngram_differences(outputs, references, "en", 2)
    assert [ngram.words for ngram in pairs.over] == [("a", "the"), ("the", "the")]
    with pytest.raises(ValueError, match="order"):
        ngram_differences(outputs, references, "en", 5)


def test_chinese_is_counted_in_characters() -> None:
    differences = ngram_differences(["他吃饭"], [["他喝茶"]], "zh")
    assert [ngram.words[0] for ngram in differences.over] == ["吃", "饭"]


def test_breakdowns_hold_every_segment_once() -> None:
    pairs = [(f"{'palabra ' * (1 + n % 5)}{n}", f"word {n}") for n in range(100)]
    ours = result([f"word {n if n % 2 else 0}" for n in range(100)], segments=segments_of_pairs(pairs))
    lengths = by_source_length([ours])
    assert sum(bin.count for bin in lengths.bins) == 100
    assert all(bin.count >= 20 for bin in lengths.bins)
    shares = by_sentence_score([ours])
    assert sum(bin.metric_scores["ours"].value for bin in shares.bins) == pytest.approx(100)
    assert shares.bins[-1].metric_scores["ours"].value >= 50  # every other output is right
    empty = next(bin.metric_scores["ours"] for bin in shares.bins if not bin.metric_scores["ours"].value)
    assert empty.low == 0 < empty.high  # none of 100 does not mean none of all


def test_words_are_grouped_by_their_training_frequency() -> None:
    training_counts = {"the": 5000, "cat": 3, "dog": 3}
    bins = {bin.label: bin for bin in by_training_frequency([result()], training_counts).bins}
    assert bins["≥ 1,000"].metric_scores["ours"].value == pytest.approx(
        200 * 1 / (1 + 2)
    )  # "a dog" lacks one
    assert bins["1–4"].metric_scores["ours"].value == pytest.approx(100)
    assert bins["0"].count == len(["sleeps", "eats", "bread", "one", "hello", "there"])
