"""The view of source and history: shares add up, and the value of a source depends on the others."""

from __future__ import annotations

import math

import pytest
import torch

from demo.inspect.time.history import VIEW
from demo.widgets.answers.content import Content, NotHereError
from models.inspection.contributions import contributions, source_gain
from tests.demo.inspect.view_answers import answer, inspected, inspected_step, shipped
from tests.demo.widgets.figures.figure_check import checked
from tests.refusals import refused


def charts(content: Content) -> dict[str, list[dict[str, object]]]:
    for chart in content.charts:
        checked(chart.figure)
    assert content.sentences
    assert all(content.sentences)
    return {chart.name: chart.figure.data for chart in content.charts}


def test_a_transformer_shows_the_shares_of_source_and_history() -> None:
    question = inspected()
    content = answer(VIEW, question)
    drawn = charts(content)
    assert list(drawn) == ["shares", "parts", "gain"]
    with torch.inference_mode():
        start = question.prediction.question.prefix[:1]
        shares = contributions(question.prediction, (*start, *question.output[:-1]))
    source, history = drawn["shares"]
    assert source["y"] == pytest.approx(shares.from_source, abs=1e-3)
    for one, other in zip(source["y"], history["y"], strict=True):  # type: ignore[call-overload]
        assert one + other == pytest.approx(1, abs=1e-4)
    assert source["customdata"] == [["step", step] for step in range(len(question.output))]
    parts = [value for trace in drawn["parts"] for value in trace["x"]]  # type: ignore[attr-defined]
    assert len(parts) == len(question.prediction.question.source) + 4, "the start token and three more"
    assert math.fsum(parts) == pytest.approx(1, abs=5e-3)
    assert f"{100 * shares.from_source[3]:.1f}% of “␣to” comes from the source" in content.sentences[0]


def test_every_network_shows_the_gain_of_the_source() -> None:
    question = inspected("spa-eng-gru")
    content = answer(VIEW, question)
    assert list(charts(content)) == ["gain"]
    tokenizer = question.checkpoint.tokenizer
    others = [tokenizer.encode(text).ids for text in question.checkpoint.config.examples]
    with torch.inference_mode():
        gain = source_gain(question.prediction, question.output, others)
    assert content.charts[0].figure.data[0]["y"] == pytest.approx(gain.gains, abs=1e-3)
    assert content.table is not None
    assert [row[0] for row in content.table.rows] == ["this source", *question.checkpoint.config.examples]
    assert [row[2] for row in content.table.rows[1:]] == pytest.approx(
        [other[3] for other in gain.log_probs_after_others]
    )


def test_a_source_is_not_compared_with_itself() -> None:
    example = shipped("spa-eng-gru").config.examples[0]
    content = answer(VIEW, inspected("spa-eng-gru", example, 1))
    assert content.table is not None
    assert example not in [row[0] for row in content.table.rows]


def test_other_sources_can_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "¿Dónde está?\n\n" + "qw" * 40 + "\nHola."
    question = inspected("spa-eng-gru", options={"others": "typed", "sources": lines})
    monkeypatch.setattr(question.checkpoint.model, "max_positions", 30)
    content = answer(VIEW, question)
    assert content.table is not None
    assert [row[0] for row in content.table.rows] == ["this source", "¿Dónde está?", "Hola."]
    assert any("Shorten it" in sentence for sentence in content.sentences)


def test_other_sources_are_requested_if_none_are_typed() -> None:
    question = inspected("spa-eng-gru", options={"others": "typed"})
    alone = answer(VIEW, question)
    assert alone.sentences[0] == "Type other sources to compare with, one a line."
    assert [control.name for control in question.controls] == ["others", "sources"]
    assert not alone.charts


def test_a_transformer_needs_no_other_source() -> None:
    content = answer(VIEW, inspected(options={"others": "typed"}))
    assert list(charts(content)) == ["shares", "parts"]
    assert content.table is None


def test_the_gain_of_an_unwritten_token_is_that_at_its_position() -> None:
    question = inspected()
    other = (*question.output[:3], 77)
    hypothetical = inspected_step(question.checkpoint, question.text, other, 3)
    hypothetical.output = question.output
    content = answer(VIEW, hypothetical)
    assert len(content.charts[0].figure.data[0]["y"]) == 4
    with torch.inference_mode():
        sources = [question.checkpoint.tokenizer.encode("Hola.").ids]
        log_prob = source_gain(hypothetical.prediction, other, sources).log_probs[-1]
    assert content.table is not None
    assert content.table.rows[0][2] == pytest.approx(log_prob)
    assert log_prob == pytest.approx(hypothetical.prediction.value, abs=1e-3)


def test_pictures_are_compared_with_the_other_pictures() -> None:
    config = shipped("shapes-captioner").config
    content = answer(VIEW, inspected("shapes-captioner", config.examples[0], 1))
    assert list(charts(content)) == ["gain"]
    assert content.table is not None
    assert content.table.rows[1][0] == "picture 1"


def test_a_captioner_without_other_pictures_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    question = inspected("shapes-captioner", shipped("shapes-captioner").config.examples[0], 1)
    monkeypatch.setitem(question.checkpoint.config.__dict__, "examples", ())
    with refused(NotHereError, "no_other_pictures"):
        answer(VIEW, question)
