"""Minimum Bayes risk over what a search found: the ranking, the order of its matrix, and duplicates."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from models.decoding.strategies.minimum_bayes_risk import MinimumBayesRisk
from models.decoding.strategies.sampling import Sampling
from models.decoding.trace import Hypothesis, Utilities
from models.metrics.sentence import sentence_utility

CHRF, BLEU = MinimumBayesRisk(4), MinimumBayesRisk(4, utility="bleu")
CAT, DOG = "the cat sat on the mat", "dogs bark"


def hypotheses_of(*texts: str) -> list[Hypothesis]:
    """The hypotheses, best log-probability first, as a search returns them."""
    return [Hypothesis(node, (4, 3), text, -1.0 - node, -1.0 - node, True) for node, text in enumerate(texts)]


@pytest.mark.parametrize("strategy", [CHRF, BLEU], ids=lambda strategy: strategy.utility)
def test_duplicates_are_samples_and_outvote_the_likeliest(strategy: MinimumBayesRisk) -> None:
    # Nothing in common: of four samples an output's utility is 100 times its share.
    ranked, utilities = strategy.rerank(hypotheses_of(DOG, CAT, CAT, CAT))
    assert utilities is not None
    assert [output.text for output in ranked] == [CAT, CAT, CAT, DOG]
    assert [output.node for output in ranked] == [1, 2, 3, 0]  # the more probable of equal ones is first
    shared = (sentence_utility(CAT, DOG, strategy.utility) + 300) / 4
    alone = (3 * sentence_utility(DOG, CAT, strategy.utility) + 100) / 4
    assert [output.utility for output in ranked] == pytest.approx([shared] * 3 + [alone])
    assert shared == pytest.approx(75, abs=3)
    assert alone == pytest.approx(25, abs=6)
    assert [output.log_prob for output in ranked] == [-2.0, -3.0, -4.0, -1.0]


@pytest.mark.parametrize("strategy", [CHRF, BLEU], ids=lambda strategy: strategy.utility)
def test_the_matrix_stands_in_the_order_of_the_hypotheses(strategy: MinimumBayesRisk) -> None:
    texts = (DOG, "the cat", CAT, "the cat sat", "a cat sat on the mat")
    ranked, utilities = strategy.rerank(hypotheses_of(*texts))
    assert utilities is not None
    assert [output.text for output in ranked] != list(texts), "or the order would not matter"
    for hypothesis, row in zip(ranked, utilities.matrix, strict=True):
        expected = [sentence_utility(hypothesis.text, other.text, strategy.utility) for other in ranked]
        assert list(row) == pytest.approx(expected, abs=1e-9)
        assert hypothesis.utility == pytest.approx(math.fsum(expected) / len(expected))
    assert utilities.matrix[0][1] != utilities.matrix[1][0], "rows are hypotheses, columns references"
    assert utilities.metric == strategy.utility
    assert utilities.signature.startswith("nrefs:1|")


def test_the_best_text_is_ranked_first() -> None:
    texts = (DOG, "the cat", CAT, "the cat sat", "the cat sat on the mat")
    ranked, _ = CHRF.rerank(hypotheses_of(*texts))
    assert CHRF.best_text(texts) == ranked[0].text == CAT
    assert Sampling(4).best_text(texts) == DOG


@pytest.mark.parametrize("strategy", [CHRF, Sampling(3)])
def test_a_strategy_without_samples_has_no_output(strategy: Sampling) -> None:
    assert strategy.rerank([]) == ((), None)
    assert strategy.best_text([]) == ""


def test_one_sample_agrees_with_itself() -> None:
    ranked, utilities = CHRF.rerank(hypotheses_of(CAT))
    assert isinstance(utilities, Utilities)
    assert utilities.matrix == ((pytest.approx(100),),)
    assert ranked[0].utility == pytest.approx(100)


def test_other_strategies_do_not_rerank() -> None:
    hypotheses = hypotheses_of(CAT, DOG, DOG)
    assert Sampling(3).rerank(hypotheses) == (tuple(hypotheses), None)


def test_chinese_is_compared_in_characters() -> None:
    """Chinese has no spaces, so BLEU's default tokenizer would make one word of a sentence."""
    hypotheses = hypotheses_of("我爱你们。", "我爱他们。", "我爱你。")
    _, plain = BLEU.rerank(hypotheses)
    _, chinese = replace(BLEU, language="zh").rerank(hypotheses)
    assert plain is not None
    assert chinese is not None
    assert "tok:zh" in chinese.signature
    assert "tok:13a" in plain.signature
    assert max(value for i, row in enumerate(chinese.matrix) for j, value in enumerate(row) if i != j) > 20
