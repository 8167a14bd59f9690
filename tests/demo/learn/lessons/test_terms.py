"""Terms of lessons on two small traces whose numbers were computed by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from demo.learn.lessons.answers import question_parts
from demo.learn.lessons.facts import LessonState
from demo.learn.lessons.lesson import Prediction
from demo.learn.lessons.terms import TermError, fill_in_terms, value_of, value_text
from models.decoding.status import Reason, Status, Stop
from models.decoding.trace import (
    BeamNode,
    DecodedRow,
    DecodingStep,
    DecodingTrace,
    Exploration,
    Hypothesis,
    NextToken,
    Token,
)


def trace(last: float) -> DecodingTrace:
    """`la casa` becomes `the</s>`; the end token has probability `last`, and there is one head."""
    tops = (
        (NextToken(5, "▁the", math.log(0.5)), NextToken(6, "▁a", math.log(0.25))),
        (NextToken(1, "</s>", 0),),
    )
    weights = ((0.9, 0.1), (0.2, 0.8))
    logs = (math.log(0.5), math.log(last))
    steps = []
    for index, (token, log) in enumerate(zip(("▁the", "</s>"), logs, strict=True)):
        parent = index - 1 if index else None
        node = BeamNode(index, parent, index, 5, token, log, 0, 0, 0, 0, Status.KEPT, Reason.CHOSEN)
        row = DecodedRow(parent, tops[index], math.log(3), ((weights[index],),))
        steps.append(DecodingStep(index, (row,), (node,)))
    result = Hypothesis(1, (5, 1), "the", sum(logs), sum(logs) / 2, ended=True)
    return DecodingTrace(
        checkpoint="tiny",
        source_text="la casa",
        source=(Token(3, "▁la"), Token(4, "▁casa")),
        strategy="greedy",
        settings={},
        steps=tuple(steps),
        hypotheses=(result,),
        exploration=Exploration(2, 2, 3, Stop.COMPLETE),
    )


STATE = LessonState((trace(0.8), trace(0.4)), {"perplexity": 7.25})


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ("sequence_probability", 0.4),
        ("sequence_probability@2", 0.2),
        ("sequence_probability@1 / sequence_probability@2", 2),
        ("log_probability@1 - log_probability@2 > 0.5", True),
        ("probability(2)@2", 0.4),
        ("100 * candidate_probability(1, 2)", 25),
        ("candidate(1, 2)", "␣a"),
        ("candidates(1, 2)", ["␣the", "␣a"]),
        ("choices(1)", 3),
        ("least_certain@2", 2),
        ("attended(1)", "␣la"),
        ("attended_place(2)", 2),
        ("attention(2, 1)", 0.2),
        ("length", 2),
        ("num_searched", 2),
        ("mentions('The a the')", 2),
        ("containing('the')", 1),
        ("containing('th')", 0),  # no whole word
        ("ended and not repeated", True),
        ("output == 'the' or ended", True),
        ("perplexity + 1", 8.25),
        ("-perplexity < 0", True),
    ],
)
def test_a_term_has_the_value_of_the_trace(term: str, value: object) -> None:
    assert value_of(term, STATE) == (pytest.approx(value) if isinstance(value, float | int) else value)


@pytest.mark.parametrize(
    "term",
    [
        "soul",
        "score@3",
        "score@",
        "__import__('os')",
        "output.__class__",
        "[1, 2]",
        "token(9)",
        "probability()",
        "1 < 2 < 3",
        "token(step=1)",
    ],
)
def test_an_invalid_term_is_refused(term: str) -> None:
    with pytest.raises(TermError):
        value_of(term, STATE)


def test_texts_are_filled_as_a_reader_sees_numbers() -> None:
    text = "{sequence_probability:percent}, {perplexity}, {length}, {perplexity:short}, “{token(1)}”"
    assert fill_in_terms(text, STATE) == "40.0%, 7.25, 2, 7.2, “␣the”"
    assert [value_text(value) for value in (1234.0, 0.5, True, "a")] == ["1234", "0.50", "True", "a"]


def test_an_alignment_can_be_drawn() -> None:
    assert value_of("alignment", STATE) == {
        "rows": ["␣the", "</s>"],
        "columns": ["␣la", "␣casa"],
        "values": [[0.9, 0.1], [0.2, 0.8]],
    }
    assert value_of("probability_curve", STATE)["values"] == pytest.approx([50, 80])


def test_prefixes_can_be_kept() -> None:
    assert value_of("extensions(1)", STATE) == {
        "rows": ["the", "a"],
        "columns": ["keep", "drop"],
        "factors": ["1 × 0.5", "1 × 0.25"],
        "keep": 1,
        "values": [[1, 0], [0, 1]],
        "products": pytest.approx([0.5, 0.25]),
    }
    assert value_of("kept(1, 1)", STATE) == "the"
    assert value_of("kept_probability(1, 1)", STATE) == 1
    parts = question_parts(Prediction("draw", "extensions(1)"), STATE)
    assert parts.keys() == {"rows", "columns", "factors", "keep"}, "the answer stays on the server"


def test_a_token_that_looks_at_two_places_alike_is_not_asked_about() -> None:
    undecided = replace(trace(0.8), steps=tuple(_looking_both_ways(step) for step in trace(0.8).steps))
    assert value_of("alignment", LessonState((undecided,)))["rows"] == []


def _looking_both_ways(step: DecodingStep) -> DecodingStep:
    rows = tuple(replace(row, attention=(((0.51, 0.49),),)) for row in step.rows)
    return replace(step, rows=rows)


def test_a_term_compares_with_the_state_of_a_contrast() -> None:
    state = replace(STATE, contrasts={"other": LessonState((trace(0.5),), {"loss": 2.0})})
    assert value_of("other.probability(2)", state) == pytest.approx(0.5)
    assert value_of("probability(2) > other.probability(2) and other.loss == 2", state) is True
    with pytest.raises(TermError):
        value_of("third.loss", state)
