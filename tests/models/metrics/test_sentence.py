"""Utilities against sacrebleu's own interface and published figures; the risk against hand arithmetic."""

from __future__ import annotations

import subprocess
import sys

import pytest
import sacrebleu

from models.budget import letting_others_run
from models.metrics.bootstrap import measure
from models.metrics.sentence import UTILITIES, expected_utilities, sentence_utility, signature, utility_matrix

TEXTS = (
    "the cat sat on the mat",
    "a cat sat on a mat today",
    "va !",
    "",
    "   ",
    "x",
    'He said: "well, 3.5% (at most)" ...',
    "the the the the the the",
    "我喜欢吃苹果。",
    "the cat sat on the mat",
)


@pytest.mark.parametrize("metric", UTILITIES)
def test_other_threads_may_run_before_each_row(metric: str) -> None:
    pauses: list[None] = []
    with letting_others_run(lambda: pauses.append(None)):
        matrix = utility_matrix(TEXTS, metric)
    assert len(pauses) == len(set(TEXTS))
    assert matrix == utility_matrix(TEXTS, metric)


def test_short_sentences_are_not_scored_zero_for_missing_orders() -> None:
    assert sentence_utility("va !", "va !", "bleu") == pytest.approx(100)
    assert measure(["va !"], [["va !"]]).bleu == 0  # a corpus of two words has no 4-grams
    assert sentence_utility("he is calm", "he is very calm", "bleu") == pytest.approx(45.14, abs=0.005)


def test_chinese_is_cut_into_characters_where_the_language_is_known() -> None:
    pair = ("我喜欢吃苹果。", "我很喜欢吃苹果。")
    assert sentence_utility(*pair, "bleu") == pytest.approx(0.0, abs=0.005)
    for language in ("zh", "cmn"):
        assert sentence_utility(*pair, "bleu", language) == pytest.approx(72.90, abs=0.005)
    assert sentence_utility(*pair, "chrf", "zh") == sentence_utility(*pair, "chrf") > 0


@pytest.mark.parametrize(
    ("language", "tokenizer"), [("", "13a"), ("en", "13a"), ("zh", "zh"), ("ja", "char")]
)
def test_the_signature_names_the_tokenizer_and_the_effective_order(language: str, tokenizer: str) -> None:
    signed = signature("bleu", language)
    assert f"|tok:{tokenizer}|" in signed
    assert "|eff:yes|" in signed
    assert "nrefs:1|" in signed


def test_the_signature_of_chrf_is_that_of_the_evaluation() -> None:
    assert signature("chrf") == measure(["a"], [["a"]]).chrf_signature


@pytest.mark.parametrize("language", ["", "zh"])
@pytest.mark.parametrize("metric", UTILITIES)
def test_the_matrix_is_sacrebleu_for_each_pair(metric: str, language: str) -> None:
    tokenizer = "zh" if language else "13a"
    matrix = utility_matrix(TEXTS, metric, language)
    for hypothesis, row in zip(TEXTS, matrix, strict=True):
        for reference, utility in zip(TEXTS, row, strict=True):
            score = (
                sacrebleu.sentence_chrf(hypothesis, [reference])
                if metric == "chrf"
                else sacrebleu.sentence_bleu(hypothesis, [reference], tokenize=tokenizer)
            )
            assert utility == pytest.approx(score.score, abs=1e-9)
            assert utility == pytest.approx(
                sentence_utility(hypothesis, reference, metric, language), abs=1e-9
            )


def test_rows_are_hypotheses_and_columns_references() -> None:
    short, long = "the cat", "the cat sat on the mat"
    matrix = utility_matrix([short, long], "bleu")
    assert matrix[0][1] == sentence_utility(short, long, "bleu")
    assert matrix[0][1] < matrix[1][0]  # the short one pays for its brevity, the long one for its words
    assert matrix[0][0] == pytest.approx(100)


@pytest.mark.parametrize("metric", UTILITIES)
def test_equal_texts_are_measured_once(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from models.metrics import sentence as utility

    metric_object = utility._metric(metric, None)
    counted = []
    score = metric_object._compute_score_from_stats
    monkeypatch.setattr(
        metric_object, "_compute_score_from_stats", lambda stats: (counted.append(1), score(stats))[1]
    )
    utility_matrix(["a b", "b c", "a b", "a b"], metric)
    assert len(counted) == 4


def test_an_empty_list_of_outputs_has_an_empty_matrix() -> None:
    assert utility_matrix([], "chrf") == ()


def test_the_risk_is_that_of_the_mean_over_the_pseudo_references() -> None:
    matrix = ((100.0, 10.0, 10.0), (60.0, 100.0, 50.0), (0.0, 20.0, 100.0))
    assert expected_utilities(matrix) == pytest.approx((40.0, 70.0, 40.0))


def test_rows_of_the_same_numbers_tie_even_where_a_plain_sum_would_round() -> None:
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1
    first, second, third = expected_utilities(((0.3, 0.2, 0.1), (0.1, 0.2, 0.3), (0.0, 0.0, 0.0)))
    assert first == second > third


def test_the_consensus_wins_over_an_outlier() -> None:
    samples = ["a dog ran", "the cat sat on the mat", "the cat sat on a mat", "the cat sits on the mat"]
    for metric in UTILITIES:
        expected = expected_utilities(utility_matrix(samples, metric))
        assert expected.index(max(expected)) == 1


@pytest.mark.parametrize("matrix", [((1.0, 2.0),), ((),)])
def test_an_invalid_matrix_of_utilities_is_refused(matrix: tuple[tuple[float, ...], ...]) -> None:
    with pytest.raises(ValueError, match="matrix"):
        expected_utilities(matrix)


def test_another_metric_is_refused_by_name() -> None:
    for call in (lambda: signature("ter"), lambda: sentence_utility("a", "b", "ter")):
        with pytest.raises(ValueError, match="'ter'"):
            call()


def test_sacrebleu_and_torch_are_imported_only_when_used() -> None:
    loaded = "import sys, models.metrics.sentence; print({'torch', 'sacrebleu'} & set(sys.modules))"
    answer = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "set()"
