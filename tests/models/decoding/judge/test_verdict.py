"""Whose mistake it was: hand-made numbers, and searches over a chain whose mode is arithmetic."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.decoding.decode import decode
from models.decoding.judge.rescore import rescore, rescore_ids
from models.decoding.judge.scored_text import ScoredText, ScoredToken
from models.decoding.judge.verdict import ExactMode, Verdict, VerdictKind, verdict
from models.decoding.options import DecodingOptions
from models.decoding.search.length_normalizer import LengthNormalizer
from models.decoding.status import Stop
from models.decoding.strategies import BeamSearch, ExactSearch, Greedy
from models.decoding.trace import DecodingTrace, Hypothesis
from models.registry.registry import Registry
from tests.fakes.markov import BOS, EOS, MarkovModel
from tests.models.decoding.search.running import trace_of

# Greedy takes 5, after which all is uncertain; the mode is 6.
GARDEN_PATH = {BOS: {5: 0.6, 6: 0.4}, 5: dict.fromkeys(range(7, 17), 0.1)}


def ref(*ids: int, log_prob: float, score: float | None = None, unknown: tuple[str, ...] = ()) -> ScoredText:
    tokens = tuple(ScoredToken(i, str(i), 0.0, 0, bool(unknown) and i == 1, 0.0, None) for i in (*ids, EOS))
    text = " ".join(map(str, ids))
    return ScoredText(text, tokens, log_prob, log_prob if score is None else score, unknown)


def hyp(*ids: int, log_prob: float, score: float | None = None, ended: bool = True) -> Hypothesis:
    score = log_prob if score is None else score
    return Hypothesis(0, (*ids, EOS) if ended else ids, " ".join(map(str, ids)), log_prob, score, ended)


def test_the_model_prefers_the_reference_so_the_search_erred() -> None:
    conclusion = verdict(ref(4, log_prob=-1.25), hyp(5, log_prob=-3.75))
    assert conclusion.kind is VerdictKind.SEARCH_ERROR
    assert (conclusion.margin, conclusion.log_prob_margin) == (2.5, 2.5)
    assert conclusion.explanation == (
        "Search error: the model rates the reference 2.50 higher (log-probability −1.25) "
        "than the output found (−3.75)."
    )
    assert (conclusion.search_error, conclusion.mode_explanation, conclusion.notes) == (None, "", ())


def test_the_model_prefers_what_was_found_so_the_model_erred() -> None:
    conclusion = verdict(ref(4, log_prob=-3.75), hyp(5, log_prob=-1.25))
    assert conclusion.kind is VerdictKind.MODEL_ERROR
    assert conclusion.margin == -2.5
    assert conclusion.explanation == (
        "Model error: the model rates the output found 2.50 higher (log-probability −1.25) "
        "than the reference (−3.75), so a better search would not write the reference either."
    )


def test_equal_tokens_agree_despite_rounding() -> None:
    conclusion = verdict(ref(4, log_prob=-1.25), hyp(4, log_prob=-1.2505))
    assert conclusion.kind is VerdictKind.AGREEMENT
    assert conclusion.explanation == "Agreement: the search wrote the reference, log-probability −1.25."
    assert conclusion.notes == ()


def test_the_same_text_from_other_tokens_agrees_and_says_so() -> None:
    conclusion = verdict(ref(4, log_prob=-3.0), replace(hyp(5, 6, log_prob=-1.0), text=" 4 "))
    assert conclusion.kind is VerdictKind.AGREEMENT
    assert "from other tokens, log-probability −1.00" in conclusion.explanation
    assert "has −3.00" in conclusion.explanation


@pytest.mark.parametrize(("gap", "kind"), [(9e-6, "tie"), (2e-5, "search_error"), (-2e-5, "model_error")])
def test_a_difference_of_rounding_is_no_error(gap: float, kind: str) -> None:
    conclusion = verdict(ref(4, log_prob=-2.0 + gap), hyp(5, log_prob=-2.0))
    assert conclusion.kind.value == kind
    assert "0.00 " not in conclusion.explanation  # a small gap is still a number


def test_a_strong_penalty_does_not_hide_a_difference() -> None:
    normalizer = LengthNormalizer("power", 5.0)
    scores = [normalizer(log_prob, 20) for log_prob in (-2.0, -9.0)]
    assert abs(scores[0] - scores[1]) < 1e-5
    conclusion = verdict(ref(4, log_prob=-2.0, score=scores[0]), hyp(5, log_prob=-9.0, score=scores[1]))
    assert conclusion.kind is VerdictKind.SEARCH_ERROR


@pytest.mark.parametrize(
    ("reference", "best", "kind", "phrase"),
    [
        ((-6.0, -1.0), (-4.0, -2.0), VerdictKind.SEARCH_ERROR, "it is the other way round"),
        ((-4.0, -2.0), (-6.0, -1.0), VerdictKind.MODEL_ERROR, "it is the other way round"),
        ((-4.0, -1.0), (-4.0, -2.0), VerdictKind.SEARCH_ERROR, "they are alike"),
        ((-4.0, -2.0), (-6.0, -2.0), VerdictKind.TIE, "they differ"),
    ],
)
def test_the_score_decides_and_log_probability_that_disagrees_is_told(
    reference: tuple[float, float], best: tuple[float, float], kind: VerdictKind, phrase: str
) -> None:
    conclusion = verdict(
        ref(4, log_prob=reference[0], score=reference[1]),
        hyp(5, log_prob=best[0], score=best[1]),
    )
    assert conclusion.kind is kind
    assert "score" in conclusion.explanation
    (note,) = conclusion.notes
    assert f"By log-probability alone {phrase}" in note
    assert "length normalisation decides" in note


def test_a_score_that_agrees_with_the_log_probability_needs_no_note() -> None:
    assert verdict(ref(4, log_prob=-6, score=-3), hyp(5, log_prob=-4, score=-2)).notes == ()


def test_a_verdict_says_whether_the_search_found_the_mode() -> None:
    reference, best = ref(4, log_prob=-5.0), hyp(5, log_prob=-2.0)
    hit = verdict(reference, best, ExactMode(-2.000001, complete=True))
    assert (hit.search_error, hit.proven) == (0.0, True)
    assert hit.mode_explanation.startswith("The search found the mode")
    miss = verdict(reference, best, ExactMode(-0.5, complete=True))
    assert (miss.search_error, miss.proven) == (1.5, True)
    assert miss.mode_explanation == "The search missed the mode by 1.50 nats."
    assert miss.kind is VerdictKind.MODEL_ERROR  # both at once: the search missed, and the model is wrong


def test_equal_tokens_are_the_mode_despite_rounding() -> None:
    best = hyp(5, log_prob=-2.0)
    conclusion = verdict(ref(4, log_prob=-5.0), best, ExactMode(-1.9995, True, best.token_ids))
    assert (conclusion.search_error, conclusion.notes) == (0.0, ())


def test_without_the_whole_search_there_is_a_lower_bound() -> None:
    best = hyp(5, log_prob=-2.0)
    by_search = verdict(ref(4, log_prob=-5.0), best, ExactMode(-1.5, complete=False))
    assert (by_search.search_error, by_search.proven) == (0.5, False)
    assert "at least 0.50 nats" in by_search.mode_explanation
    assert "lower bound" in by_search.mode_explanation
    by_reference = verdict(ref(4, log_prob=-1.0), best, ExactMode(-1.5, complete=False))
    assert by_reference.search_error == 1.0
    none = verdict(ref(4, log_prob=-5.0), best, ExactMode(-2.5, complete=False))
    assert (none.search_error, none.proven) == (0.0, False)
    assert "not proven" in none.mode_explanation


def test_a_mode_below_what_is_known_was_not_free() -> None:
    conclusion = verdict(ref(4, log_prob=-1.0), hyp(5, log_prob=-2.0), ExactMode(-2.0, complete=True))
    (note,) = conclusion.notes
    assert "1.00 nats more likely than the mode" in note


def test_a_normalised_search_did_not_look_for_the_mode() -> None:
    conclusion = verdict(
        ref(4, log_prob=-6, score=-3),
        hyp(5, log_prob=-4, score=-2),
        ExactMode(-1.0, complete=True),
    )
    (note,) = conclusion.notes
    assert "ranked by a length-normalised score" in note


def test_an_unknown_piece_makes_the_score_unfair() -> None:
    pieces = ("语", "x" * 40, "é", "ø", "ü")
    conclusion = verdict(ref(1, log_prob=-9.0, unknown=pieces), hyp(5, log_prob=-2.0))
    (note,) = conclusion.notes
    assert note.startswith(f"The vocabulary lacks “语”, “{'x' * 19}…”, “é” and 2 more: ")
    assert "unfair" in note


def test_a_hypothesis_that_was_cut_off_is_flattered() -> None:
    (note,) = verdict(ref(4, log_prob=-3.0), hyp(5, log_prob=-2.0, ended=False)).notes
    assert "cut off at the length limit: its score leaves out the end" in note


@pytest.mark.parametrize("score", [None, -0.7])
def test_the_same_tokens_with_another_number_are_noticed(score: float | None) -> None:
    best = hyp(4, log_prob=-2.0, score=score)
    conclusion = verdict(ref(4, log_prob=-2.0 if score else -2.5), best)
    assert conclusion.kind is VerdictKind.AGREEMENT
    assert any("rated the same tokens differently" in note for note in conclusion.notes)


def test_certainty_is_written_without_a_sign() -> None:
    assert verdict(ref(4, log_prob=-0.0), hyp(4, log_prob=-0.0)).explanation.endswith(" 0.00.")


def test_an_impossible_reference_has_a_verdict_too() -> None:
    impossible = ref(4, log_prob=-math.inf)
    conclusion = verdict(impossible, hyp(5, log_prob=-2.0), ExactMode(-2.0, complete=False))
    assert conclusion.kind is VerdictKind.MODEL_ERROR
    assert "(−∞)" in conclusion.explanation
    both = verdict(impossible, hyp(5, log_prob=-math.inf))
    assert (both.kind, both.margin) == (VerdictKind.TIE, 0.0)


def scored(model: MarkovModel, *ids: int) -> ScoredText:
    tokens = rescore_ids(model, (5, 5), (*ids, EOS))
    total = sum(token.log_prob for token in tokens)
    return ScoredText(" ".join(map(str, ids)), tokens, total, total)


def judged_by_search(reference: ScoredText, trace: DecodingTrace, exact: DecodingTrace) -> Verdict:
    assert exact.exploration is not None
    mode = exact.hypotheses[0]
    complete = exact.exploration.stop is Stop.COMPLETE
    return verdict(reference, trace.hypotheses[0], ExactMode(mode.log_prob, complete, mode.token_ids))


def test_greedy_search_walks_the_garden_path_and_a_beam_does_not() -> None:
    model = MarkovModel.from_table(17, GARDEN_PATH)
    exact = trace_of(model, ExactSearch(), 5)
    reference = scored(model, 6)
    greedy = judged_by_search(reference, trace_of(model, Greedy(), 5), exact)
    assert greedy.kind is VerdictKind.SEARCH_ERROR
    assert greedy.proven
    assert greedy.search_error == pytest.approx(math.log(0.4 / 0.06), abs=1e-5)
    assert greedy.margin == pytest.approx(greedy.search_error, abs=1e-5)
    beam = judged_by_search(reference, trace_of(model, BeamSearch(2), 5), exact)
    assert (beam.kind, beam.search_error) == (VerdictKind.AGREEMENT, 0.0)


def test_a_model_that_is_wrong_is_wrong_under_every_search() -> None:
    model = MarkovModel.from_table(17, GARDEN_PATH)
    exact = trace_of(model, ExactSearch(), 5)
    for strategy in (Greedy(), BeamSearch(2), BeamSearch(16)):
        conclusion = judged_by_search(scored(model, 5, 16, 16), trace_of(model, strategy, 5), exact)
        assert conclusion.kind is VerdictKind.MODEL_ERROR


def test_the_shipped_reversal_agrees_with_the_right_answer() -> None:
    checkpoint = Registry(Path(__file__).parents[4] / "checkpoints").load("reverse-gru", torch.device("cpu"))
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    normalizer = LengthNormalizer("power", 1.0)
    best = decode(model, tokenizer, "abcdef", DecodingOptions(length_penalty=1.0, max_length=20)).hypotheses[
        0
    ]
    right = verdict(rescore(model, tokenizer, "abcdef", "fedcba", normalizer), best)
    assert right.kind is VerdictKind.AGREEMENT
    assert (right.margin, right.log_prob_margin) == pytest.approx((0.0, 0.0), abs=1e-5)
    assert right.notes == ()
    wrong = verdict(rescore(model, tokenizer, "abcdef", "abcdef", normalizer), best)
    assert wrong.kind is VerdictKind.MODEL_ERROR
