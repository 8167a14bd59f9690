"""Comparisons of invented outcomes: search errors in marks and sentences, without a model."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from demo.compare.work.reference import facts, judge, least_likely_token_sentence
from demo.compare.work.rows import Row, RowState, Standing, likeliest, marks, outcome_of, proven_mode
from demo.compare.work.sentences import caption, summary
from models.decoding.judge.verdict import ScoredText, ScoredToken, VerdictKind
from models.decoding.options import DecodingOptions
from models.decoding.status import Stop
from models.decoding.trace import NextToken
from tests.fakes.outcomes import outcome, row
from tests.fakes.traces import closed_trace, library_trace

GREEDY = row("a old house", -3.0, strategy="greedy")
BEAM = row("an old house", -2.5, strategy="beam", beam_size=4)
EXACT = row("an old house", -2.5, strategy="exact")
BUDGET = row("an old house", -2.5, Stop.BUDGET, strategy="exact")
SAMPLE = row("blue", -9.0, strategy="sampling", num_samples=1)
FAILED = Row(
    DecodingOptions(strategy="exhaustive"), "Exhaustive search", RowState.FAILED, problem="Too large."
)


def standings(*rows: Row, reference: ScoredText | None = None) -> list[Standing | None]:
    return [mark and mark.standing for mark in marks(rows, reference)]


def test_an_outcome_is_the_first_hypothesis_of_a_trace() -> None:
    result = outcome_of(library_trace(), 1.5)
    assert result.tokens == ("▁a", "▁library", "</s>")
    assert result.log_prob == pytest.approx(math.log(0.4 * 0.9 * 0.9))
    assert sum(result.log_probs) == pytest.approx(result.log_prob)
    assert (result.expanded, result.stop, result.ended) == (None, Stop.COMPLETE, True)
    assert not outcome_of(closed_trace(), 1.5).ended


def test_missing_the_best_known_output_is_a_search_error() -> None:
    missed, best = marks([GREEDY, BEAM])
    assert missed is not None
    assert best is not None
    assert (missed.standing, missed.text) == (
        Standing.SEARCH_ERROR,
        "search error: 0.50 nats below the best found",
    )
    assert (best.standing, best.gap) == (Standing.BEST, 0)


def test_a_complete_search_makes_the_best_the_mode() -> None:
    texts = [mark and mark.text for mark in marks([GREEDY, BEAM, EXACT])]
    assert texts == ["search error: missed the mode by 0.50 nats", "found the mode", "found the mode"]


def test_only_the_mark_of_a_search_error_names_the_missed_output() -> None:
    rows = [
        GREEDY,
        BEAM,
        EXACT,
        SAMPLE,
        row("an old and quiet house", -3.0, strategy="beam", length_penalty=1.0),
    ]
    best = outcome("an old house", -2.5).token_ids
    assert [mark and mark.better for mark in marks(rows)] == [best, (), (), (), ()]
    shorter = row("old house", -3.0, strategy="beam", length_penalty=1.0)
    assert [mark and mark.better for mark in marks([shorter, BEAM])] == [best, ()]


def test_a_search_that_was_cut_short_proves_nothing() -> None:
    assert proven_mode([BEAM, BUDGET]) is None
    assert standings(BEAM, BUDGET) == [Standing.BEST, Standing.BEST]
    assert "so far" in marks([BEAM, BUDGET])[1].text  # type: ignore[union-attr]


def test_a_draw_is_no_search_and_makes_no_error() -> None:
    assert standings(SAMPLE, BEAM) == [Standing.DRAW, Standing.BEST]
    assert marks([SAMPLE, BEAM])[0].text == (  # type: ignore[union-attr]
        "random samples, not a search for the best: 6.50 nats below the best found"
    )
    lucky = row("an old house", -2.5, strategy="stochastic")
    assert "as likely as the best found" in marks([lucky, BEAM])[0].text  # type: ignore[union-attr]


def test_scores_that_differ_by_rounding_are_equal() -> None:
    twin = row("an old house", -2.5001, strategy="beam", beam_size=8)
    assert standings(twin, BEAM) == [Standing.BEST, Standing.BEST]


def test_a_length_penalty_is_judged_by_its_own_score() -> None:
    # -3 / 6 tokens is better than -2.5 / 4: by its own score it made no error, ...
    longer = row("an old and quiet house", -3.0, strategy="beam", length_penalty=1.0)
    assert standings(longer, BEAM) == [Standing.OWN_AIM, Standing.BEST]
    # ... and -3 / 3 is worse, so here it made one.
    shorter = row("old house", -3.0, strategy="beam", length_penalty=1.0)
    assert standings(shorter, BEAM) == [Standing.SEARCH_ERROR, Standing.BEST]


def test_a_constrained_row_makes_no_error_and_shows_no_error_of_others() -> None:
    bound = row("house", -4.0, strategy="beam", banned="old")
    assert standings(bound, BEAM) == [Standing.CONSTRAINED, Standing.BEST]
    best = likeliest([row("x", -1.0, strategy="beam", min_length=3), BEAM])
    assert best is not None
    assert best[0] is BEAM


def test_a_more_probable_reference_is_an_error_of_every_search() -> None:
    assert standings(BEAM, reference=reference("the house", -1.0)) == [Standing.SEARCH_ERROR]
    (mark,) = marks([BEAM], reference("the house", -1.0))
    assert mark is not None
    assert mark.text == "search error: 1.50 nats below the reference"
    assert mark.better == outcome("the house", -1.0).token_ids


def test_rows_without_an_outcome_have_no_mark() -> None:
    assert marks([FAILED]) == [None]
    assert standings(FAILED, BEAM) == [None, Standing.BEST]
    assert summary([FAILED], [None]) == []
    assert caption([FAILED], [None]) == ""


def test_the_summary_names_missed_outputs_and_what_is_proven() -> None:
    rows = [GREEDY, BEAM, EXACT]
    sentences = summary(rows, marks(rows))
    assert sentences[0] == "Greedy makes a search error: Beam 4 finds an output 0.50 nats more likely."
    assert sentences[1].startswith("Exact search proves that this output is the mode")
    rows = [BEAM, BUDGET]
    assert summary(rows, marks(rows)) == [
        "No search error: no search missed an output that another one found.",
        "Exact search ended after the model had scored 40 prefixes, when its budget was spent: "
        "a more likely output may exist.",
    ]
    rows = [GREEDY, row("the old house", -2.75, strategy="diverse"), EXACT]
    assert summary(rows, marks(rows)) == [
        "Greedy and Diverse beam 4/2 make search errors: "
        "Exact search finds an output 0.25 to 0.50 nats more likely.",
        "Exact search alone finds the mode: the model gives no other output a higher probability.",
    ]


def test_the_caption_says_whether_more_probable_outputs_are_closer() -> None:
    assert caption([BEAM, EXACT], [None, None]) == "All 2 rows have the same output."
    assert "Each of the 2 rows writes a different output." in caption([GREEDY, BEAM], [None, None])
    assert "Greedy is closest to the reference, BLEU 60.0; the most likely output has 20.0" in caption(
        [GREEDY, BEAM], [60.0, 20.0]
    )
    assert "as close to the reference as any" in caption([GREEDY, BEAM], [20.0, 60.0])


def reference(text: str, log_prob: float) -> ScoredText:
    """An `outcome` as a scored text with an improbable first token."""
    scored = outcome(text, log_prob)
    likely = NextToken(99, "▁my", math.log(0.9))
    tokens = tuple(
        ScoredToken(token_id, surface, share, 13 if index == 0 else 0, False, 1.0, likely)
        for index, (token_id, surface, share) in enumerate(
            zip(scored.token_ids, scored.tokens, scored.log_probs, strict=True)
        )
    )
    return ScoredText(text, tokens, log_prob, log_prob)


@pytest.mark.parametrize(
    ("text", "log_prob", "rows", "kind", "sentence"),
    [
        ("the house", -5.6, [GREEDY, EXACT], VerdictKind.MODEL_ERROR, "3.10 nats less likely than the mode"),
        ("the house", -5.6, [BEAM], VerdictKind.MODEL_ERROR, "less likely than the output of Beam 4"),
        (
            "the house",
            -1.0,
            [BEAM],
            VerdictKind.SEARCH_ERROR,
            "1.50 nats more likely than any output that was found",
        ),
        ("an old house", -2.5, [EXACT], VerdictKind.AGREEMENT, "The reference is the mode"),
        ("the house", -2.5, [EXACT], VerdictKind.TIE, "as likely as the mode"),
        ("the house", -1.0, [FAILED], None, ""),
    ],
)
def test_the_verdict_names_the_search_or_the_model(
    text: str, log_prob: float, rows: list[Row], kind: VerdictKind | None, sentence: str
) -> None:
    judgement = judge(reference(text, log_prob), rows)
    assert judgement.kind is kind
    assert sentence in judgement.summary
    assert bool(judgement.explanation) is bool(sentence)


def test_a_verdict_doubts_a_reference_that_copies_the_source() -> None:
    copied = judge(reference("the house", -5.6), [BEAM], "The house")
    assert "The reference is the source itself" in copied.summary
    assert "The reference is the source itself" in copied.explanation
    for translated in ("la casa", ""):  # another source; a task within one language
        assert "source" not in judge(reference("the house", -5.6), [BEAM], translated).summary


def test_a_rows_own_score_does_not_decide_about_the_reference() -> None:
    normalised = replace(BEAM, outcome=outcome("an old house", -2.5, score=-0.4))
    assert judge(reference("the house", -1.0), [normalised]).kind is VerdictKind.SEARCH_ERROR


def test_a_reference_that_a_search_found_and_ranked_lower_was_not_missed() -> None:
    normalised = replace(BEAM, outcome=replace(outcome("an old house", -2.5), lower=((3, "the house"),)))
    judgement = judge(reference("the  house", -1.0), [GREEDY, normalised])
    assert judgement.kind is VerdictKind.SEARCH_ERROR
    lower_rank = "Beam 4 found the reference too and ranks it 3, by a score of its own."
    assert judgement.summary.endswith(lower_rank)
    assert lower_rank in judgement.explanation
    assert "1.50 nats more likely than what any search ranks first" in judgement.summary
    assert "any output that was found" not in judgement.summary
    assert judge(reference("my house", -1.0), [normalised]).summary.endswith("not a model error.")


def test_searches_that_are_all_constrained_may_have_been_forbidden_the_reference() -> None:
    constrained = row("an old house", -2.5, strategy="beam", no_repeat_ngram_size=2)
    assert constrained.options.constraints()
    judgement = judge(reference("the house", -1.0), [constrained])
    assert judgement.summary.endswith("the searches missed it, or their constraints forbade it.")
    assert judge(reference("the house", -1.0), [constrained, BEAM]).summary.endswith("not a model error.")


def test_the_least_probable_word_is_named_with_the_models_choice() -> None:
    assert least_likely_token_sentence(reference("the house", 3 * math.log(0.02))) == (
        "The model doubts “the” most: 2.0%, rank 14; it expected “my”, 90.0%."
    )
    assert (
        least_likely_token_sentence(reference("the house", 3 * math.log(0.95)))
        == "The model gives every token of it 90% or more."
    )


def test_the_verdict_names_the_mode_beside_the_reference() -> None:
    numbers = [(fact.name, fact.log_prob) for fact in facts(reference("the house", -5.6), [GREEDY, EXACT])]
    assert numbers == [("Reference", -5.6), ("Mode, by Exact search", -2.5)]
    assert facts(reference("the house", -5.6), [GREEDY])[1].name == "Best found, by Greedy"
    scored, _ = facts(reference("the house", -3 * math.log(2)), [GREEDY])
    assert scored.note == "3 tokens, cross-entropy 0.69, perplexity 2.00"


def test_an_empty_mode_is_described_as_empty() -> None:
    rows = [BEAM, row("", -1.0, strategy="exact")]
    assert "proves that the mode is the empty output" in summary(rows, marks(rows))[1]
