"""BLEU taken apart, beside sacrebleu and by hand."""

from __future__ import annotations

import itertools
import logging

import pytest
from sacrebleu.metrics.bleu import BLEU

from models.metrics.dissection import (
    BLEU_TOKENIZERS,
    SMOOTHINGS,
    brevity_penalty,
    dissect,
    dissect_corpus,
    signature,
)

logging.getLogger("sacrebleu").setLevel(logging.ERROR)  # it warns of sentence BLEU without effective order
CASES = [
    ("the cat sat on the mat", ["the cat is on the mat", "there is a cat on the mat"]),
    ("The cat, it seems, sleeps.", ["The cat sleeps, it seems!"]),
    ("one", ["one"]),
    ("one two three", ["one two three four five"]),
    ("a b c d e f", ["g h i j"]),
    ("", ["something"]),
    ("他昨天去了北京。", ["他昨天去北京了。", "昨天他去了北京。"]),
    ("It's 3.5 km — no more!", ["It is 3.5 km, no more."]),
    ("a b c d", ["a b c d e", "a b c"]),  # two references as near in length: the shorter counts
]


@pytest.mark.parametrize(("output", "references"), CASES, ids=lambda item: str(item)[:20])
@pytest.mark.parametrize("effective_order", [False, True])
def test_every_part_is_that_of_sacrebleu(output: str, references: list[str], effective_order: bool) -> None:
    for tokenizer, smoothing in itertools.product(BLEU_TOKENIZERS, SMOOTHINGS):
        for orders in (1, 2, 4):
            bleu = BLEU(
                tokenize=tokenizer,
                smooth_method=smoothing,
                effective_order=effective_order,
                max_ngram_order=orders,
            )
            theirs = bleu.sentence_score(output, references)
            ours = dissect(
                output,
                references,
                tokenizer=tokenizer,
                smoothing=smoothing,
                orders=orders,
                effective_order=effective_order,
            )
            assert ours.score == pytest.approx(theirs.score, abs=1e-9)
            assert ours.brevity_penalty == pytest.approx(theirs.bp, abs=1e-9)
            assert (ours.length, ours.reference_length) == (theirs.sys_len, theirs.ref_len)
            assert [order.smoothed for order in ours.orders] == pytest.approx(theirs.precisions, abs=1e-9)
            if smoothing != "add-k":  # add-k counts its additions
                assert [order.matched for order in ours.orders] == theirs.counts
                assert [order.total for order in ours.orders] == theirs.totals


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_a_corpus_is_the_sum_of_its_sentences(smoothing: str) -> None:
    outputs, references = [output for output, _ in CASES], [case for _, case in CASES]
    streams = [
        [reference[index] if index < len(reference) else None for reference in references]
        for index in range(2)
    ]
    theirs = BLEU(smooth_method=smoothing).corpus_score(outputs, streams)
    ours = dissect_corpus([dissect(output, case, smoothing=smoothing) for output, case in CASES])
    assert ours.score == pytest.approx(theirs.score, abs=1e-9)
    assert (ours.length, ours.reference_length) == (theirs.sys_len, theirs.ref_len)
    assert [order.smoothed for order in ours.orders] == pytest.approx(theirs.precisions, abs=1e-9)


def test_the_example_of_the_paper_is_clipped() -> None:
    """Papineni et al. 2002, section 2.1: seven times "the" counts two."""
    result = dissect("the the the the the the the", ["the cat is on the mat", "there is a cat on the mat"])
    (the,) = result.orders[0].ngrams
    assert (the.count, the.clipped, the.starts) == (7, 2, (0, 1, 2, 3, 4, 5, 6))
    assert (result.orders[0].matched, result.orders[0].total) == (2, 7)
    assert result.orders[0].precision == pytest.approx(200 / 7)
    assert (result.length, result.reference_length, result.brevity_penalty) == (7, 7, 1.0)


def test_bleu_matches_a_computation_by_hand() -> None:
    """1-grams 5 of 6, 2-grams 3 of 5, 3-grams 1 of 4, 4-grams 0 of 3, which count 1/2 of one."""
    result = dissect("the cat sat on the mat", ["the cat is on the mat"])
    assert [(order.matched, order.total) for order in result.orders] == [(5, 6), (3, 5), (1, 4), (0, 3)]
    expected = 100 * (5 / 6 * 3 / 5 * 1 / 4 * 1 / 6) ** 0.25
    assert result.score == pytest.approx(expected)
    assert dissect("the cat sat on the mat", ["the cat is on the mat"], smoothing="none").score == 0
    assert brevity_penalty(3, 5) == pytest.approx(2.718281828459045 ** (1 - 5 / 3))
    assert brevity_penalty(0, 5) == 0


def test_the_signature_is_sacrebleus() -> None:
    assert signature("13a", "exp", 2).startswith("nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:")
    assert "tok:zh" in signature("zh", "floor", 1)


def test_invalid_arguments_are_refused() -> None:
    for wrong in ({"tokenizer": "x"}, {"smoothing": "x"}, {"orders": 0}, {"orders": 5}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            dissect("a", ["a"], **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="reference"):
        dissect("a", [])
    with pytest.raises(ValueError, match="output"):
        dissect_corpus([])
