"""The Training tab's form: the preview, refusals, and saving and loading of recipes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import gradio as gr
import pytest

from demo.page.interface import build_demo
from demo.training.choices import can_be_tuned, checkpoint_pickers
from demo.training.form.settings_card import SettingsCard
from demo.training.form.wiring import READING
from demo.training.handlers import (
    on_begin,
    on_chosen,
    on_corrections,
    on_forget,
    on_kind,
    on_load,
    on_preset,
    on_preview,
    on_save,
    on_task,
)
from demo.training.run_handlers import on_stop
from demo.training.work.data_previews import DataPreview
from demo.training.work.fields import FIELDS
from demo.work.context import AppContext
from demo.work.errors import UNEXPECTED_ERROR
from demo.work.requests.checks import RequestError
from models.training.recipe.config import TrainingConfig
from models.training.runs.request import new_token
from tests.demo.conftest import LETTERS
from tests.fakes.training.form import DATA_NAMES, QUICK, begin, form, refusal, training_context
from tests.fakes.training.processes import wait_for_end
from tests.messages import says
from tests.refusals import refused

ROOT = Path(__file__).parents[3]
PATHS = [field.path for field in FIELDS]


@pytest.fixture(scope="module")
def context(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> AppContext:
    return training_context(shipped, tmp_path_factory.mktemp("runs"))


def test_a_preview_shows_the_data_and_the_estimate(context: AppContext) -> None:
    view, columns, expected, command = on_preview(context, DATA_NAMES, None, *form(**QUICK))
    assert isinstance(view, DataPreview)
    assert (view.statistics.pairs, view.statistics.valid_pairs) == (600, 30)
    assert "million weights" in expected
    assert command.startswith("python -m models.training --config reversal.json")
    assert columns is None


@pytest.mark.parametrize(
    ("changes", "code", "fields"),
    [
        ({"kind": "file"}, "file_missing", {}),
        ({"kind": "paste", "text": ""}, "no_pairs_pasted", {}),
        ({"kind": "paste", "text": "one column\nonly"}, "columns_not_evident", {}),
        ({"kind": "corrections"}, "too_few_corrections", {"count": 0}),
        ({"kind": "hub"}, "hub_dataset_missing", {}),
        ({"kind": "magic"}, "not_one_of", {"name": "The kind of data"}),
        ({"task": "poetry"}, "not_one_of", {"name": "The task"}),
        ({"reversal.longest": None}, "field_not_whole", {"name": "Longest string"}),
        ({"reversal.shortest": 30}, "options_out_of_order", {}),
        ({"epochs": 0}, "not_whole_within", {"name": "Epochs", "low": 1, "high": "1,000", "value": 0}),
        ({"optimizer.learning_rate": "fast"}, "not_within", {"name": "Learning rate"}),
        ({"network.bidirectional": True, "network.d_model": 15}, "settings_clash", {}),
    ],
    ids=str,
)
def test_an_error_of_the_form_appears_in_place_of_the_preview(
    context: AppContext, changes: dict[str, Any], code: str, fields: dict[str, object]
) -> None:
    view, *_ = on_preview(context, DATA_NAMES, new_token(), *form(**QUICK | changes))
    assert isinstance(view, str)
    assert says(view, code, **fields)


def test_a_missing_start_is_refused(context: AppContext) -> None:
    view, *_ = on_preview(context, DATA_NAMES, new_token(), *form(**QUICK | {"start": "nothing"}))
    assert says(view, "no_such_checkpoint")


@pytest.mark.slow
def test_malformed_rows_need_consent(context: AppContext) -> None:
    rows = [f"eins {i}\tone {i}" for i in range(30)]
    rows[4] = "nothing beside it"
    changes = QUICK | {"kind": "paste", "text": "\n".join(rows)}
    assert says(refusal(context, new_token(), **changes), "rows_malformed", count="1", line=5)
    run = begin(context, new_token(), **changes | {"skip_malformed": True})
    assert len((run.data / "train.tsv").read_text().splitlines()) < 30
    on_stop(context, run.id)
    wait_for_end(run)


def test_a_recipe_survives_the_form(context: AppContext, tmp_path: Path) -> None:
    text, _ = on_save(context, DATA_NAMES, *form(title="My run", **QUICK))
    recipe = TrainingConfig.from_dict(json.loads(text))
    assert (recipe.name, recipe.epochs, recipe.data.options["longest"]) == ("my-run", 2, 4)
    path = tmp_path / "recipe.json"
    path.write_text(text)
    name, start, *updates, problem = on_load(context, DATA_NAMES, str(path))
    assert problem == ""
    names = (*DATA_NAMES, *PATHS)
    view = {name: update["value"] for name, update in zip(names, updates, strict=True) if "value" in update}
    assert (name, start) == ("my-run", "")
    assert view["network.d_model"] == 16
    assert (view["kind"], view["task"], view["reversal.longest"]) == ("generated", "reversal", 4)
    with gr.Blocks():
        widgets = SettingsCard(list).fields
    sent = {
        path: widgets[path].preprocess(widgets[path].postprocess(view[path]))
        for path in PATHS
        if path in view
    }
    again = form(title=name, start=start, **view | sent)
    assert json.loads(on_save(context, DATA_NAMES, *again)[0]) == json.loads(text)


def test_a_recipe_sets_its_task_and_its_start(context: AppContext, tmp_path: Path) -> None:
    def loaded(**changes: Any) -> dict[str, Any]:
        text, _ = on_save(context, DATA_NAMES, *form(**QUICK | changes))
        (tmp_path / "recipe.json").write_text(text)
        _, start, *updates = on_load(context, DATA_NAMES, str(tmp_path / "recipe.json"))
        view = zip(DATA_NAMES, updates, strict=False)
        return {"start": start} | {name: update["value"] for name, update in view if "value" in update}

    sums = loaded(task="arithmetic", start=LETTERS)
    assert (sums["start"], sums["kind"], sums["task"]) == (LETTERS, "generated", "arithmetic")
    assert {name for name in sums if "." in name} == {
        name for name in DATA_NAMES if name.startswith("arithmetic.")
    }
    assert loaded(kind="paste") == {"start": "", "kind": "file"}


REFUSED: tuple[dict[str, Any], ...] = (
    {"kind": "paste", "text": "a\tb\nno pair\nc\td\ne\tf"},
    {"kind": "corrections"},
    {"task": "poetry"},
    {"epochs": 0},
    {"start": "nothing"},
    {"data.max_pieces": 1},
)


@pytest.mark.slow
@pytest.mark.parametrize("changes", REFUSED, ids=str)
def test_no_handler_that_shows_its_progress_raises(context: AppContext, changes: dict[str, Any]) -> None:
    """Gradio writes a bare "Error" over the widget of a handler that raises."""
    visible = {
        function.fn.__name__
        for function in build_demo(context).fns.values()
        if function.concurrency_id == READING["concurrency_id"]
        and function.show_progress != "hidden"
        and {getattr(block, "elem_id", None) for block in function.outputs}
        & {"train-preview", "train-expectation"}
    }
    handlers = {item.__name__: item for item in (on_preview, on_chosen, on_begin)}
    assert visible == handlers.keys()
    for handler in handlers.values():
        values = [
            item for item in handler(context, DATA_NAMES, new_token(), *form(**QUICK | changes)) if item
        ]
        assert [item for item in values if isinstance(item, str)]


def test_my_corrections_set_their_checkpoint_and_show_their_list(context: AppContext) -> None:
    token = new_token()
    assert context.training is not None
    corrections = context.training.corrections(token)
    start, *_, correction_list = on_kind(context, token, "minutes", "corrections", "reversal", "")
    assert start == ""
    assert isinstance(correction_list, str)
    for name, text in (
        (f"{LETTERS}@int8", "ab"),
        (LETTERS, "bc"),
        ("gone", "a"),
        ("gone", "b"),
        ("gone", "c"),
    ):
        corrections.add(text, text.upper(), "?", name)
    start, *fields, correction_list = on_kind(context, token, "minutes", "corrections", "reversal", "")
    assert start == LETTERS
    assert [item.correction for item in correction_list] == ["AB", "BC", "A", "B", "C"]
    assert fields == on_preset(context, "minutes", "corrections", "reversal", LETTERS)
    assert on_corrections(context, token, "corrections") == correction_list
    assert on_corrections(context, token, "paste") == gr.skip()
    choice, *_ = on_kind(context, new_token(), "minutes", "corrections", "reversal", LETTERS)
    assert choice == LETTERS  # the visitor chose it
    on_forget(context, token)
    assert corrections.all() == ()


STRANGE_RECIPES = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"name": "x", "epochs": ' + b"1" * 5000 + b"}",
    b'{"name": "\\ud83d"}',
    b'{"name": ["x"]}',
    b'{"name": "x", "network": {"architecture": []}}',
    b'{"name": "x", "probe_source": "' + b"y" * 1000 + b'"}',
    b'{"name": "x", "optimizer": {"learning_rate": 1e999}}',
    b'{"name": "x", "batch_tokens": 1}',
    b'{"name": "x", "data": {"source_language": "\\udc00"}}',
)


@pytest.mark.slow
@pytest.mark.parametrize("content", STRANGE_RECIPES, ids=lambda content: repr(content[:30]))
def test_a_file_that_is_no_recipe_of_this_form_is_refused(
    context: AppContext, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "recipe.json"
    path.write_bytes(content)
    *_, problem = on_load(context, DATA_NAMES, str(path))
    assert problem
    assert problem != UNEXPECTED_ERROR.template


@pytest.mark.parametrize("path", [None, "", "/nowhere/recipe.json"])
def test_loading_without_a_file_asks_for_a_recipe(context: AppContext, path: str | None) -> None:
    *_, problem = on_load(context, DATA_NAMES, path)
    assert says(problem, "recipe_missing")


def test_presets_fit_the_task_and_the_start(context: AppContext) -> None:
    def values(updates: list[Any]) -> dict[str, Any]:
        return {
            path: update["value"] for path, update in zip(PATHS, updates, strict=True) if "value" in update
        }

    assert values(on_preset(context, "quality", "file", "reversal", ""))["tokenizer.kind"] == "bpe"
    assert values(on_preset(context, "textbook", "generated", "numbers", ""))["teacher_forcing.start"] == 0.5
    tuned = values(on_preset(context, "minutes", "paste", "reversal", LETTERS))
    assert tuned["network.d_model"] == 8  # the checkpoint's
    assert tuned["optimizer.learning_rate"] < 1e-3
    assert set(values(on_task(context, "minutes", "generated", "histories", ""))) == {
        "tokenizer.kind",
        "tokenizer.target_kind",
        "tokenizer.vocab_size",
        "data.max_pieces",
    }
    with refused(RequestError, "not_one_of", "The preset"):
        on_preset(context, "magic", "file", "reversal", "")


def test_a_checkpoint_that_reads_pictures_is_not_offered_and_is_refused(tmp_path: Path) -> None:
    for name in ("reverse-gru", "shapes-captioner"):
        shutil.copytree(ROOT / "checkpoints" / name, tmp_path / name)
    context = training_context(tmp_path, tmp_path / "runs")
    assert [name for name in context.registry.names() if can_be_tuned(context, name)] == ["reverse-gru"]
    starts = checkpoint_pickers(context, None)[-1]["choices"]
    assert [name for _, name in starts] == ["", "reverse-gru"]
    for change in (on_preset, on_task):
        with refused(RequestError, "checkpoint_of_pictures"):
            change(context, "minutes", "generated", "reversal", "shapes-captioner")


def test_the_recipe_of_a_captioner_is_for_the_command_line(context: AppContext) -> None:
    path = ROOT / "checkpoints" / "shapes-captioner" / "recipe.json"
    *_, problem = on_load(context, DATA_NAMES, str(path))
    assert says(problem, "recipe_of_pictures")
