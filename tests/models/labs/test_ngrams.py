"""n-gram models against numbers that were worked out by hand."""

from __future__ import annotations

import math

import pytest

from models.labs.ngrams import END_TOKEN, START_TOKEN, UNKNOWN_TOKEN, NGrams, perplexity, sentences

# Seven words and three ends: a 3 times, b 2 times, c 2 times.
TEXT = [["a", "b"], ["a", "c"], ["a", "b", "c"]]


def test_a_text_becomes_sentences_of_words() -> None:
    assert sentences("The cat sat. It's 9!\n\n...") == [["the", "cat", "sat"], ["it's", "9"]]
    assert sentences("我爱你。ok") == [["我", "爱", "你"], ["ok"]]
    assert sentences(" .,;") == []


def test_unigrams_are_shares_of_all_tokens() -> None:
    model = NGrams(TEXT, 1, 0)
    assert model.vocabulary == {"a", "b", "c", END_TOKEN, UNKNOWN_TOKEN}
    assert model.probability((), "a") == pytest.approx(3 / 10)
    assert model.probability((), END_TOKEN) == pytest.approx(3 / 10)
    assert model.probability((), "b") == pytest.approx(2 / 10)


def test_bigram_probabilities_match_counts_with_and_without_smoothing() -> None:
    assert NGrams(TEXT, 2, 0).probability(("a",), "b") == pytest.approx(2 / 3)
    smoothed = NGrams(TEXT, 2, 1)
    assert smoothed.probability(("a",), "b") == pytest.approx((2 + 1) / (3 + 5))
    assert smoothed.probability(("a",), UNKNOWN_TOKEN) == pytest.approx(1 / 8)
    assert smoothed.probability((START_TOKEN,), "a") == pytest.approx(4 / 8)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("alpha", [0.1, 1, 5])
def test_the_probabilities_after_any_context_sum_to_one(order: int, alpha: float) -> None:
    model = NGrams(TEXT, order, alpha)
    for factor in model.chain(["a", "x", "c"]):
        total = math.fsum(model.probability(factor.context, token) for token in model.vocabulary)
        assert total == pytest.approx(1)


def test_the_chain_rule_works_forwards_and_backwards() -> None:
    forward = NGrams(TEXT, 2, 0).chain(["a", "b", "c"])
    assert [(factor.context, factor.token) for factor in forward] == [
        ((START_TOKEN,), "a"),
        (("a",), "b"),
        (("b",), "c"),
        (("c",), END_TOKEN),
    ]
    assert [factor.probability for factor in forward] == pytest.approx([1, 2 / 3, 1 / 2, 1])
    backward = NGrams(TEXT, 2, 0, backward=True).chain(["a", "b", "c"])
    assert [factor.token for factor in backward] == ["c", "b", "a", END_TOKEN]
    # c ends two of three sentences; before c stands a once and b once; before b always a, which begins all.
    assert [factor.probability for factor in backward] == pytest.approx([2 / 3, 1 / 2, 1, 1])
    assert math.prod(item.probability for item in forward) == pytest.approx(1 / 3)
    assert math.prod(item.probability for item in backward) == pytest.approx(1 / 3)


def test_without_a_limit_both_directions_agree_on_a_sentence_that_was_read() -> None:
    for backward in (False, True):
        chain = NGrams(TEXT, 4, 0, backward=backward).chain(["a", "c"])
        assert math.prod(item.probability for item in chain) == pytest.approx(1 / 3)


def test_perplexity_is_one_at_best_and_infinite_at_worst() -> None:
    assert perplexity([1, 1, 1]) == 1
    assert perplexity([1 / 7] * 4) == pytest.approx(7)
    assert perplexity([0.5, 0.125]) == pytest.approx(4)
    assert perplexity([1, 0]) == math.inf
    assert NGrams([["a"]], 2, 0).perplexity([["a"]]) == 1
    assert NGrams(TEXT, 1, 1e12).perplexity(TEXT) == pytest.approx(5)
    assert NGrams(TEXT, 2, 0).perplexity([["x"]]) == math.inf


@pytest.mark.parametrize(("texts", "order", "alpha"), [([], 1, 1), ([["a"]], 0, 1), ([["a"]], 1, -1)])
def test_an_invalid_ngram_model_is_refused(texts: list[list[str]], order: int, alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        NGrams(texts, order, alpha)


def test_the_perplexity_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="probabilities"):
        perplexity([])
