"""Pictures as sources: accepted and refused ones, and the payload."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demo.compare.handlers import on_checkpoint as on_compared_checkpoint
from demo.compare.handlers import on_compare, on_compare_checkpoints, on_compare_texts
from demo.decode.controls.teaching import on_teach
from demo.decode.filling import on_checkpoint
from demo.decode.server_functions import edit_request
from demo.decode.source_tokens.component import SourceTokens
from demo.decode.tab import on_tokenize
from demo.trace.payload import trace_payload
from demo.widgets.captions.trace import picture_attention_caption, picture_cells
from demo.widgets.picture_input.component import PictureChoice, new_picture
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_CHARACTERS
from demo.work.requests.checks import RequestError, check_text
from demo.work.requests.decode import DecodeRequest
from models.corpus.generated.shapes import COLOURS, SHAPE_KINDS
from models.registry.registry import Registry
from models.tokenization.pictures import MAX_PICTURE_CHARACTERS, PICTURE_PREFIX, read_picture
from models.training.runs.request import new_token
from tests.demo.conftest import LETTERS, TEXTS
from tests.fakes.pictures import GRID, SCENE, make_captioner, picture, picture_trace
from tests.fakes.traces import library_trace
from tests.fakes.training.form import training_context
from tests.refusals import Refusal, refused

CAPTIONER = "captioner"
PICTURE = picture()
PNG = base64.b64decode(PICTURE.removeprefix(PICTURE_PREFIX))
DAMAGED = PICTURE_PREFIX + base64.b64encode(PNG[:200]).decode()
GREEDY: list[dict[str, Any]] = [{"strategy": "greedy"}]


@pytest.fixture
def examples(root: Path) -> tuple[str, ...]:
    return make_captioner(root, CAPTIONER)


@pytest.fixture
def picture_context(root: Path, examples: tuple[str, ...]) -> AppContext:
    """A server with a checkpoint that reads pictures beside two that read texts."""
    return AppContext(Registry(root), "cpu")


def test_a_picture_may_be_longer_than_a_text() -> None:
    assert len(PICTURE) > MAX_CHARACTERS
    check_text(PICTURE)
    with refused(RequestError, "too_many_characters", "500"):
        check_text("x" * len(PICTURE))
    with refused(RequestError, "picture_too_long", "65,537", "65,536"):
        check_text(PICTURE_PREFIX.ljust(MAX_PICTURE_CHARACTERS + 1, "A"))


@pytest.mark.parametrize(
    ("name", "source", "refusal"),
    [
        (CAPTIONER, "hola", ("reads_pictures",)),
        (LETTERS, PICTURE, ("reads_texts",)),
        (CAPTIONER, DAMAGED, ("picture_damaged",)),
        (CAPTIONER, PICTURE_PREFIX + "<script>", ("picture_no_base64",)),
        (CAPTIONER, PICTURE_PREFIX, ("picture_damaged",)),
        (CAPTIONER, PICTURE_PREFIX + "é", ("picture_no_base64",)),
        (CAPTIONER, PICTURE_PREFIX + "\ud800", ("picture_no_base64",)),
        (CAPTIONER, picture(size=32), ("picture_size", 64, 32)),
        (CAPTIONER, PICTURE_PREFIX.ljust(10**6, "A"), ("picture_too_long", "65,536")),
    ],
    ids=["text", "for letters", "damaged", "markup", "empty", "accent", "surrogate", "small", "huge"],
)
def test_a_source_that_does_not_fit_is_refused(
    picture_context: AppContext, name: str, source: str, refusal: Refusal
) -> None:
    with refused(RequestError, *refusal):
        picture_context.decode(DecodeRequest(name, source))


def test_a_picture_is_decoded_and_its_cells_are_the_source(picture_context: AppContext) -> None:
    trace = picture_context.decode(DecodeRequest(CAPTIONER, PICTURE))
    assert trace.source_text == PICTURE
    assert [token.surface for token in trace.source] == list(GRID.names)


def test_a_checkpoint_that_reads_pictures_shows_an_example(
    picture_context: AppContext, examples: tuple[str, ...]
) -> None:
    text, view, tokens, _, *buttons, answer = on_checkpoint(picture_context, CAPTIONER, LETTERS, "typed", 12)
    assert view == PictureChoice(text, examples, 64)
    assert (text, tokens) == (examples[0], None)
    assert not [button for button in buttons if button.visible]
    assert answer.pop("notice").endswith("Your text is kept under Results.")
    assert answer == {
        "checkpoint": CAPTIONER,
        "run": True,
        "kept": {"checkpoint": LETTERS, "label": LETTERS, "text": "typed"},
    }
    text, view, *_ = on_checkpoint(picture_context, LETTERS, CAPTIONER, examples[0], 12)
    assert (text, view) == (TEXTS[0], None)


def test_a_picture_has_no_token_chips_and_a_bad_picture_is_refused(picture_context: AppContext) -> None:
    assert on_tokenize(picture_context, CAPTIONER, PICTURE) is None
    assert "cannot be read" in str(on_tokenize(picture_context, CAPTIONER, DAMAGED))
    cells = SourceTokens().postprocess(picture_context.tokenizer(CAPTIONER).encode(PICTURE))["tokens"]
    assert [cell["text"] for cell in cells] == list(GRID.names)


def test_the_payload_has_the_grid_of_the_picture(picture_context: AppContext) -> None:
    payload = json.loads(trace_payload(picture_trace()))
    assert payload["picture"] == {"cells": 8}
    assert payload["trace"]["source_text"] == PICTURE
    assert json.loads(trace_payload(library_trace()))["picture"] is None


def test_a_text_that_begins_like_a_picture_is_a_text() -> None:
    assert picture_cells(replace(library_trace(), source_text=PICTURE)) is None


def test_the_caption_names_the_word_with_the_sharpest_attention() -> None:
    trace = picture_trace()
    circle = SCENE.caption.split().index("circle")
    one_cell = (1.0, *[0.0] * 63)
    views = [one_cell if step.index == circle else (1 / 64,) * 64 for step in trace]
    steps = [
        replace(step, rows=tuple(replace(row, attention=((look,),)) for row in step.rows))
        for step, look in zip(trace, views, strict=True)
    ]
    sentence = picture_attention_caption(replace(trace, steps=tuple(steps)), trace.hypotheses[0].node)
    assert sentence.startswith("It looks most closely while writing “circle”: 1 of 64 cells hold half")
    assert sentence.endswith("against 28.9 for a word on average.")


def test_attention_moved_to_a_cell_is_decoded_again(picture_context: AppContext) -> None:
    trace = picture_context.decode(DecodeRequest(CAPTIONER, PICTURE))
    weights = [1.0 if index == 9 else 0.0 for index in range(64)]
    edit = {
        "checkpoint": CAPTIONER,
        "text": PICTURE,
        "strategy": trace.strategy,
        "settings": dict(trace.settings),
        "overrides": [{"step": 0, "weights": weights, "layer": None, "head": None}],
    }
    attention = picture_context.decode(edit_request(picture_context, edit)).steps[0].rows[0].attention
    assert attention is not None
    assert attention[0][0] == tuple(weights)


def test_strategies_are_compared_on_a_picture(picture_context: AppContext, examples: tuple[str, ...]) -> None:
    text, reference, other, view, other_shown, *buttons = on_compared_checkpoint(
        picture_context, CAPTIONER, None, ""
    )
    assert (text, reference, other) == (examples[0], "", examples[1])
    assert (view.picture, other_shown.picture) == (text, other)
    assert not [button for button in buttons if button.visible]
    *_, last = on_compare(picture_context, CAPTIONER, text, SCENE.caption, [*GREEDY, {"strategy": "beam"}])
    assert [row.problem for row in last.rows] == ["", ""]
    *_, pair = on_compare_texts(picture_context, CAPTIONER, text, other, GREEDY)
    assert "cells hold half its attention" in pair.sides[1].attention_caption


def test_checkpoints_of_two_kinds_are_not_compared(picture_context: AppContext) -> None:
    with refused(RequestError, "pictures_and_texts"):
        next(on_compare_checkpoints(picture_context, CAPTIONER, LETTERS, PICTURE, GREEDY))
    with refused(RequestError, "reads_texts"):
        next(on_compare(picture_context, LETTERS, PICTURE, "", GREEDY))


@pytest.mark.usefixtures("examples")
def test_no_correction_is_kept_for_a_picture(root: Path, tmp_path: Path) -> None:
    context = training_context(root, tmp_path / "runs")
    with refused(RequestError, "corrections_need_texts"):
        on_teach(context, new_token(), CAPTIONER, PICTURE, "a red circle", "")


def test_a_new_picture_is_described() -> None:
    answer = new_picture()
    assert read_picture(answer["picture"], 64).size == (64, 64)
    assert answer["caption"].count(" a ") == len(answer["shapes"]) - 1
    for shape in answer["shapes"]:
        assert shape["kind"] in SHAPE_KINDS
        assert shape["colour"] in COLOURS
        assert f"{shape['colour']} {shape['kind']}" in answer["caption"]
