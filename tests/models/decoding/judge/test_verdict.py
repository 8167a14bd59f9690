"""Verdicts on search and model, on invented numbers and on Markov models with a known mode."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.decoding.decode import decode
from models.decoding.judge.rescore import rescore, rescore_ids
from models.decoding.judge.verdict import ScoredText, ScoredToken, VerdictKind, verdict
from models.decoding.options import DecodingOptions
from models.decoding.strategies.beam_search import BeamSearch
from models.decoding.strategies.exact import ExactSearch
from models.decoding.strategies.greedy import Greedy
from models.decoding.trace import Hypothesis
from models.registry.registry import Registry
from tests.fakes.markov import BOS, EOS, MarkovModel
from tests.models.decoding.search.running import trace_of

# Greedy takes 5, after which all is uncertain; the mode is 6.
GARDEN_PATH = {BOS: {5: 0.6, 6: 0.4}, 5: dict.fromkeys(range(7, 17), 0.1)}


def reference_of(*ids: int, log_prob: float, unknown: tuple[str, ...] = ()) -> ScoredText:
    tokens = tuple(ScoredToken(i, str(i), 0.0, 0, bool(unknown) and i == 1, 0.0, None) for i in (*ids, EOS))
    return ScoredText(" ".join(map(str, ids)), tokens, log_prob, log_prob, unknown)


def output_of(*ids: int, log_prob: float, ended: bool = True) -> Hypothesis:
    tokens = (*ids, EOS) if ended else ids
    return Hypothesis(0, tokens, " ".join(map(str, ids)), log_prob, log_prob, ended)


def test_a_more_probable_reference_is_a_search_error() -> None:
    conclusion = verdict(reference_of(4, log_prob=-1.25), output_of(5, log_prob=-3.75))
    assert conclusion.kind is VerdictKind.SEARCH_ERROR
    assert conclusion.margin == 2.5
    assert conclusion.explanation == (
        "Search error: the model rates the reference 2.50 nats higher (log-probability −1.25) "
        "than the output of the search (−3.75)."
    )
    assert conclusion.notes == ()


def test_a_less_probable_reference_is_a_model_error() -> None:
    conclusion = verdict(reference_of(4, log_prob=-3.75), output_of(5, log_prob=-1.25))
    assert conclusion.kind is VerdictKind.MODEL_ERROR
    assert conclusion.margin == -2.5
    assert conclusion.explanation == (
        "Model error if the reference is right: the model rates the output of the search 2.50 nats higher "
        "(log-probability −1.25) than the reference (−3.75), so a better search would not "
        "find the reference either."
    )


def test_equal_tokens_agree_despite_rounding() -> None:
    conclusion = verdict(reference_of(4, log_prob=-1.25), output_of(4, log_prob=-1.2505))
    assert conclusion.kind is VerdictKind.AGREEMENT
    assert conclusion.explanation == "Agreement: the search found the reference, log-probability −1.25."
    assert conclusion.notes == ()


def test_the_same_text_by_other_tokens_agrees_with_an_explanation() -> None:
    conclusion = verdict(reference_of(4, log_prob=-3.0), replace(output_of(5, 6, log_prob=-1.0), text=" 4 "))
    assert conclusion.kind is VerdictKind.AGREEMENT
    assert "in other tokens, log-probability −1.00" in conclusion.explanation
    assert "has −3.00" in conclusion.explanation


@pytest.mark.parametrize(("gap", "kind"), [(9e-6, "tie"), (2e-5, "search_error"), (-2e-5, "model_error")])
def test_only_a_gap_beyond_rounding_is_an_error(gap: float, kind: str) -> None:
    conclusion = verdict(reference_of(4, log_prob=-2.0 + gap), output_of(5, log_prob=-2.0))
    assert conclusion.kind.value == kind
    assert "0.00 " not in conclusion.explanation  # a small gap is still a number


def test_an_unknown_piece_makes_the_score_unfair() -> None:
    pieces = ("语", "x" * 40, "é", "ø", "ü")
    conclusion = verdict(reference_of(1, log_prob=-9.0, unknown=pieces), output_of(5, log_prob=-2.0))
    (note,) = conclusion.notes
    assert note.startswith(f"The vocabulary lacks “语”, “{'x' * 19}…”, “é” and 2 more: ")
    assert "unfair" in note


def test_the_verdict_notes_that_a_cut_hypothesis_has_no_end_token() -> None:
    (note,) = verdict(reference_of(4, log_prob=-3.0), output_of(5, log_prob=-2.0, ended=False)).notes
    assert "cut off at the length limit: its score is too high" in note


def test_certainty_is_written_without_a_sign() -> None:
    assert verdict(reference_of(4, log_prob=-0.0), output_of(4, log_prob=-0.0)).explanation.endswith(" 0.00.")


def test_an_impossible_reference_has_a_verdict_too() -> None:
    impossible = reference_of(4, log_prob=-math.inf)
    conclusion = verdict(impossible, output_of(5, log_prob=-2.0))
    assert conclusion.kind is VerdictKind.MODEL_ERROR
    assert "(−∞)" in conclusion.explanation
    both = verdict(impossible, output_of(5, log_prob=-math.inf))
    assert (both.kind, both.margin) == (VerdictKind.TIE, 0.0)


def scored(model: MarkovModel, *ids: int) -> ScoredText:
    tokens = rescore_ids(model, (5, 5), (*ids, EOS))
    total = sum(token.log_prob for token in tokens)
    return ScoredText(" ".join(map(str, ids)), tokens, total, total)


def test_greedy_search_walks_the_garden_path_and_a_beam_does_not() -> None:
    model = MarkovModel.from_table(17, GARDEN_PATH)
    reference = scored(model, 6)
    greedy = verdict(reference, trace_of(model, Greedy(), 5).hypotheses[0])
    assert greedy.kind is VerdictKind.SEARCH_ERROR
    assert greedy.margin == pytest.approx(math.log(0.4 / 0.06), abs=1e-5)
    beam = verdict(reference, trace_of(model, BeamSearch(2), 5).hypotheses[0])
    assert beam.kind is VerdictKind.AGREEMENT


def test_a_model_error_is_found_with_every_search() -> None:
    model = MarkovModel.from_table(17, GARDEN_PATH)
    for strategy in (Greedy(), BeamSearch(2), BeamSearch(16), ExactSearch()):
        conclusion = verdict(scored(model, 5, 16, 16), trace_of(model, strategy, 5).hypotheses[0])
        assert conclusion.kind is VerdictKind.MODEL_ERROR


def test_the_shipped_reversal_agrees_with_the_right_answer() -> None:
    checkpoint = Registry(Path(__file__).parents[4] / "checkpoints").load("reverse-gru", torch.device("cpu"))
    model, tokenizer = checkpoint.model, checkpoint.tokenizer
    options = DecodingOptions(length_penalty=1.0, max_length=20)
    best = decode(model, tokenizer, "abcdef", options).hypotheses[0]
    right = verdict(rescore(model, tokenizer, "abcdef", "fedcba"), best)
    assert right.kind is VerdictKind.AGREEMENT
    assert right.margin == pytest.approx(0.0, abs=1e-5)
    assert right.notes == ()
    wrong = verdict(rescore(model, tokenizer, "abcdef", "abcdef"), best)
    assert wrong.kind is VerdictKind.MODEL_ERROR
