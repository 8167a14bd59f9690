"""The lab of BLEU, on sentences whose n-grams can be counted by hand."""

from __future__ import annotations

import pytest

from demo.labs.bleu import LAB, MAX_TOKENS, ngram_figure
from demo.widgets.answers.content import Controls, NotHereError
from models.metrics.dissection import dissect
from tests.refusals import refused


def facts_of(**options: str) -> dict[str, float | str]:
    return dict(LAB.compute(Controls(options=options)).facts)


def test_two_words_swapped_cost_more_than_a_wrong_one() -> None:
    swapped = facts_of()
    wrong = facts_of(output="my sister lives in a tiny house near the sea")
    assert (swapped["precision_1"], swapped["matched_2"]) == (100, 6)
    assert wrong["precision_1"] == 90
    assert wrong["bleu"] == pytest.approx(65.8, abs=0.05)  # as the lesson on it says
    assert swapped["bleu"] == pytest.approx(55.6, abs=0.05)


def test_the_sentence_gives_the_counts_of_clipping() -> None:
    result = LAB.compute(Controls(options={"output": "the the the", "reference": "the cat is on the mat"}))
    assert "“the” is more frequent in the output (3) than in any reference (2)" in result.sentences[1]
    assert result.facts["matched_1"] == 2


def test_without_smoothing_one_missing_order_makes_bleu_zero() -> None:
    options = {"output": "my sister has a little home", "smoothing": "none"}
    result = LAB.compute(Controls(options=options))
    assert result.facts["bleu"] == 0
    assert any("so the geometric mean is 0" in sentence for sentence in result.sentences)
    assert float(facts_of(output=options["output"])["bleu"]) > 0


def test_every_ngram_has_a_bar_over_its_tokens_and_no_bars_overlap() -> None:
    result = dissect("the cat the cat the", ["the cat sleeps"])
    figure = ngram_figure(result)
    bars = [
        (lane, base, base + width)
        for trace in figure.data
        for lane, base, width in zip(trace["y"], trace["base"], trace["x"], strict=True)
    ]
    assert len(bars) == sum(order.total for order in result.orders) == 5 + 4 + 3 + 2
    for lane, start, end in bars:
        beside = [bar for bar in bars if bar[0] == lane and bar[1] != start]
        assert all(other_end <= start or end <= other for _, other, other_end in beside)
    matched, clipped, missing = (len(trace["y"]) for trace in figure.data)
    assert (matched, clipped, missing) == (2 + 1, 3 + 1, 2 + 3 + 2)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"reference": " "}, "reference_missing"),
        ({"output": " "}, "output_without_token"),
        ({"output": "a " * (MAX_TOKENS + 1)}, "output_too_long_to_draw"),
    ],
)
def test_an_unmeasurable_score_is_refused(options: dict[str, str], code: str) -> None:
    with refused(NotHereError, code):
        LAB.compute(Controls(options=options))
