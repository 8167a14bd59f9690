"""The view of layers and heads shows the library's measurements, for our networks and the Hub's."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from demo.i18n.display import percent_text
from demo.inspect.heads import ATTENTIONS, POSITIONS, VIEW
from demo.inspect.heads import grid as head_grid
from demo.inspect.heads.grid import MAX_CELLS
from demo.inspect.view import Inspected
from demo.widgets.answers.content import Content, NotHereError, Select
from models.inspection.attentions import kinds
from models.inspection.heads import measure_heads
from models.networks.hugging_face import HuggingFaceModel
from tests.demo.inspect.view_answers import TEXT, answer, inspected, inspected_step, shipped
from tests.demo.widgets.figures.figure_check import checked
from tests.fakes.tiny_networks import SAMPLE, tiny_model
from tests.refusals import refused


def controls(question: Inspected) -> dict[str, list[str]]:
    return {
        control.name: [value for value, _ in control.options]
        for control in question.controls
        if isinstance(control, Select)
    }


def valid(content: Content) -> None:
    assert content.sentences
    assert all(content.sentences)
    for chart in content.charts:
        checked(chart.figure)
    assert content.table is not None
    assert {len(row) for row in content.table.rows} == {len(content.table.head)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ATTENTIONS)
def test_every_head_is_drawn_and_measured(kind: str) -> None:
    question = inspected(options={"attention": kind})
    content = answer(VIEW, question)
    valid(content)
    layers = 3 if kind == "encoder" else 2
    assert len(content.charts[0].figure.data) == layers * 5, "four heads and the rollout of each layer"
    assert content.table is not None
    assert len(content.table.rows) == layers * 4
    costs = [row[1] for row in content.table.rows]
    assert costs == sorted(costs, reverse=True)
    with torch.inference_mode():
        all_heads = measure_heads(question.prediction, kind, question.output)
    assert costs[0] == pytest.approx(all_heads.costliest.cost, abs=1e-5)
    frames = content.charts[0].figure.layout["shapes"]
    assert [frame["y0"] for frame in frames] == ([] if kind == "encoder" else [2.5] * 10)


def test_the_head_that_a_reader_enlarges_is_described_first() -> None:
    costliest, enlarged = (answer(VIEW, inspected(options={"head": head})) for head in ("costliest", "1.3"))
    assert enlarged.charts[1].title in enlarged.sentences[0]
    assert costliest.sentences[0] == enlarged.sentences[1]
    without, row = enlarged.facts["without_1_3"], [enlarged.facts[f"weight_1_{column}"] for column in (1, 2)]
    assert isinstance(without, float)
    assert percent_text(without) in enlarged.sentences[0]
    with torch.inference_mode():
        question = inspected()
        head = measure_heads(
            question.prediction, str(question.options.get("attention", "cross")), question.output
        )
    assert row == pytest.approx(head.layers[0][2].weights[0][:2])


def test_the_finding_names_the_loss_of_the_costliest_head() -> None:
    question = inspected("reverse-gru", "hello")
    content = answer(VIEW, question)
    valid(content)
    assert content.sentences[0].startswith(
        "“e” depends most on layer 1, head 1: without this head its probability falls from 100%"
    )
    assert controls(question).keys() == {"attention", "reading", "head"}, "it has no norms to choose"
    rival = question.checkpoint.tokenizer.encode("o").ids[0]
    against = answer(VIEW, inspected("reverse-gru", "hello", rival=rival)).sentences[0]
    assert "its lead over “o” is" in against


@pytest.mark.slow
def test_a_click_enlarges_a_head() -> None:
    question = inspected(options={"head": "2.3", "value": "norm"})
    content = answer(VIEW, question)
    valid(content)
    assert content.charts[1].title == "layer 2, head 3"
    small = next(
        trace
        for trace in content.charts[0].figure.data
        if trace["customdata"][0][0] == ["choose", "head", "2.3"]
    )
    assert content.charts[1].figure.data[0]["z"] == small["z"]
    assert small["zmax"] != 1
    assert content.charts[1].figure.data[0]["customdata"][4][0] == ["step", 4]
    rolled = answer(VIEW, inspected(options={"head": "2.rollout"}))
    assert rolled.charts[1].title == "layers up to 2 together"
    assert controls(question)["head"][:2] == ["costliest", "1.1"]


def test_a_row_belongs_to_the_written_or_to_the_read_token() -> None:
    by_output, read = (
        answer(VIEW, inspected(options={"reading": reading})).charts[1].figure
        for reading in ("written", "read")
    )
    assert by_output.data[0]["z"] == read.data[0]["z"]
    assert read.layout["yaxis"]["ticktext"][1:] == by_output.layout["yaxis"]["ticktext"][:-1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ATTENTIONS)
def test_networks_of_the_hub_have_a_view_of_heads(kind: str) -> None:
    from transformers import MarianConfig, MarianMTModel

    sizes = {"d_model": 16, "vocab_size": 5000, "encoder_layers": 2, "decoder_layers": 3}
    heads = {f"{side}_attention_heads": 4 for side in ("encoder", "decoder")}
    ids = {"pad_token_id": 0, "eos_token_id": 3, "decoder_start_token_id": 0}
    theirs = MarianMTModel(MarianConfig(**(sizes | heads | ids)))
    ours = inspected()
    checkpoint = dataclasses.replace(ours.checkpoint, model=HuggingFaceModel(theirs))
    content = answer(
        VIEW, inspected_step(checkpoint, TEXT, ours.output, 3, {"attention": kind, "value": "norm"})
    )
    valid(content)
    assert len(content.charts[0].figure.data) == (2 if kind == "encoder" else 3) * 5


def test_the_heads_of_a_captioner_show_cells() -> None:
    config = shipped("shapes-captioner").config
    content = answer(VIEW, inspected("shapes-captioner", config.examples[0], 1))
    valid(content)
    cells = content.charts[1].figure.layout["xaxis"]["ticktext"]
    assert cells[0] == "1,1"


@pytest.mark.slow
def test_a_long_text_is_drawn_around_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = inspected()
    text, output = " ".join([TEXT] * 6), ours.output * 9
    content = answer(VIEW, inspected_step(ours.checkpoint, text, output, 60))
    valid(content)
    grid = content.charts[0].figure
    assert sum(len(trace["z"]) * len(trace["z"][0]) for trace in grid.data) <= MAX_CELLS
    large = content.charts[1].figure
    assert len(large.data[0]["z"]) == len(output)
    monkeypatch.setattr(head_grid, "MAX_CELLS", 1_000)
    fewer = answer(VIEW, inspected_step(ours.checkpoint, text, output, 60)).charts[1].figure
    assert 0 < len(fewer.data[0]["z"]) < len(output)
    (frame,) = fewer.layout["shapes"]
    shown_row = round(frame["y0"] + 0.5)
    assert fewer.data[0]["customdata"][shown_row][0] == ["step", 60]
    assert fewer.data[0]["z"][shown_row] == large.data[0]["z"][60]


def test_a_network_without_attention_has_no_view_of_heads() -> None:
    without = tiny_model(SAMPLE["lstm-2-bi-concat-none"])
    assert not kinds(without)
    checkpoint = dataclasses.replace(shipped("reverse-gru"), model=without)
    with refused(NotHereError, "no_attention_heads"):
        answer(VIEW, inspected_step(checkpoint, "abc", (4, 5, 3), 1))


def test_every_described_position_has_a_name() -> None:
    question = inspected()
    for kind in ATTENTIONS:
        with torch.inference_mode():
            described = measure_heads(question.prediction, kind, question.output).costliest.statistics
        assert {name for name, _ in described.shares} <= POSITIONS.keys()
