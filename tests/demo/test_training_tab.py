"""The Training tab's handlers, called as the page calls them; runs are real processes."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from demo.checks import RequestError
from demo.context import AppContext
from demo.request import DecodeRequest
from demo.strategy import StrategySettings
from demo.tabs.training.choices import own_checkpoints
from demo.tabs.training.handlers import on_begin, on_load, on_look, on_preset, on_save, on_task
from demo.tabs.training.run_handlers import (
    on_archive,
    on_compare,
    on_open,
    on_poll,
    on_remove,
    on_resume,
    on_stop,
    on_tensorboard,
    on_visit,
)
from demo.training.fields import FIELDS
from demo.training.preview import DataPreview
from demo.training.reports import Reports
from models.networks.config import network_config
from models.registry.card import read_card
from models.registry.checkpoint import load_checkpoint
from models.training.config import TrainingConfig
from models.training.events import EvaluationCompleted, StepCompleted
from models.training.request import new_token
from models.training.run import Run, RunState
from models.training.runs import RunError
from tests.demo.conftest import LETTERS
from tests.demo.training_form import DATA_NAMES, QUICK, form, training_context
from tests.models.training.children import wait, wait_for_end, wait_for_steps

PATHS = [field.path for field in FIELDS]


@pytest.fixture(scope="module")
def context(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> AppContext:
    return training_context(shipped, tmp_path_factory.mktemp("runs"))


def begin(context: AppContext, token: str, **changes: Any) -> Run:
    run_picker, *_ = on_begin(context, DATA_NAMES, token, *form(**changes))
    assert context.training is not None
    return context.training.runs.find(run_picker["value"])


@pytest.fixture(scope="module")
def token() -> str:
    return new_token()


@pytest.fixture(scope="module")
def finished(context: AppContext, token: str) -> Run:
    """A run from scratch that has ended well; the tests only read it."""
    run = begin(context, token, title="Backwards", **QUICK)
    wait_for_end(run)
    assert run.state() is RunState.FINISHED, run.log_tail()
    return run


def reports(context: AppContext) -> Reports:
    assert context.training is not None
    return Reports(context.training.runs)


def decode(context: AppContext, name: str, text: str) -> str:
    settings = StrategySettings(strategy="greedy", max_length=8)
    return context.decode(DecodeRequest(name, text, settings)).hypotheses[0].text


def test_a_run_is_watched_to_its_end_and_used(context: AppContext, token: str, finished: Run) -> None:
    report, timer, compare, *pickers = on_poll(context, reports(context), token, finished.id, [])
    assert (report.state, report.title) == (RunState.FINISHED, "Backwards")
    assert not timer.active
    assert not compare.visible  # it began from random weights
    labels = [[name for _, name in picker["choices"]] for picker in pickers]
    assert all(finished.id in names for names in labels)
    assert decode(context, finished.id, "ab") is not None
    assert context.registry.card(finished.id).name == finished.id
    assert context.registry.example(finished.id).source_text == context.config(finished.id).examples[0]
    picker, tabs = on_open(context, token, finished.id)
    assert picker["value"] == finished.id
    assert tabs.selected == "decode"


def test_a_run_is_nobody_elses(context: AppContext, token: str, finished: Run) -> None:
    stranger = new_token()
    assert finished.id in {name for _, name in own_checkpoints(context, token)}
    assert finished.id not in {name for _, name in own_checkpoints(context, stranger)}
    _, picker, *_ = on_visit(context, "", stranger)
    assert picker["value"] is None
    known, picker, *_, tabs = on_visit(context, finished.id, stranger)  # by its link
    assert (known, picker["value"], tabs.selected) == (stranger, finished.id, "training")
    with pytest.raises(RequestError, match="Only the browser that started a run can remove it"):
        on_remove(context, stranger, finished.id)


@pytest.mark.parametrize("token", [None, "", "x", 3, {"a": 1}, "A" * 32])
def test_a_visitor_without_a_token_gets_one(context: AppContext, token: object) -> None:
    known, *_ = on_visit(context, "../../etc", token)
    assert len(known) == 32
    assert known != token
    with pytest.raises(RequestError, match="Reload the page"):
        on_begin(context, DATA_NAMES, token, *form(**QUICK))


def test_the_folder_is_a_checkpoint_with_its_card(context: AppContext, finished: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(on_archive(context, finished.id)) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "backwards"
    checkpoint = load_checkpoint(folder, torch.device("cpu"))
    assert checkpoint.config.task == "reversal"
    best = [e for e in finished.all_events() if isinstance(e, EvaluationCompleted) and e.best][-1]
    metrics = {metric.name: metric.value for metric in read_card(folder).metrics}
    assert metrics["perplexity"] == pytest.approx(best.perplexity, abs=1e-4)
    assert metrics["exact match"] == pytest.approx(best.exact_match, abs=1e-4)
    assert "BLEU" not in metrics


def test_the_curves_leave_as_numbers(context: AppContext, finished: Run) -> None:
    with zipfile.ZipFile(on_tensorboard(context, reports(context), finished.id)) as archive:
        names = archive.namelist()
        text = archive.read(f"{finished.id}/metrics.csv").decode()
    assert any("tensorboard/events.out.tfevents" in name for name in names)
    rows = {int(row["step"]): row for row in csv.DictReader(io.StringIO(text))}
    events = finished.all_events()
    for event in events:
        if isinstance(event, StepCompleted):
            assert float(rows[event.step]["train/loss"]) == event.loss
        if isinstance(event, EvaluationCompleted):
            assert float(rows[event.step]["valid/loss"]) == event.loss
    assert len(rows) == len({e.step for e in events if isinstance(e, StepCompleted | EvaluationCompleted)})


def test_stop_resume_and_remove(context: AppContext) -> None:
    token = new_token()
    run = begin(context, token, **QUICK | {"epochs": 1000})
    wait_for_steps(run, 4)
    with pytest.raises(RunError, match="under way"):
        on_remove(context, token, run.id)
    with pytest.raises(RunError, match="You have a run under way"):
        on_begin(context, DATA_NAMES, token, *form(**QUICK))
    wait(lambda: (run.best / "README.md").exists() or (run.best / "config.json").exists(), "a checkpoint")
    before = decode_weights(context, run)
    on_stop(context, run.id)
    wait_for_end(run)
    assert run.state() is RunState.STOPPED
    on_resume(context, run.id)
    wait_for_steps(run, 200)
    on_stop(context, run.id)
    wait_for_end(run)
    after = decode_weights(context, run)
    assert not torch.equal(before, after)  # the cache noticed that the run went on
    picker, _ = on_remove(context, token, run.id)
    assert picker["value"] is None
    assert not run.folder.exists()


def decode_weights(context: AppContext, run: Run) -> torch.Tensor:
    """Some weights of the checkpoint as the other tabs get it."""
    model = context.checkpoint(run.id).model
    return next(iter(model.parameters())).detach().clone()


def test_fine_tuning_keeps_the_network_of_its_start(context: AppContext) -> None:
    token = new_token()
    pairs = "\n".join(f"hola {letter}\t{letter} aloh" for letter in "abcdefgh")
    changes = QUICK | {"kind": "paste", "text": pairs, "batch_tokens": 32, "network.dropout": 0.3}
    run = begin(context, token, start=LETTERS, **changes)
    wait_for_end(run)
    assert run.state() is RunState.FINISHED, run.log_tail()
    tuned, start = context.config(run.id), context.config(LETTERS)
    assert network_config(tuned.network).dropout == 0.3
    assert {**tuned.network, "dropout": 0} == {**start.network, "dropout": 0}
    assert tuned.sha256["tokenizer.json"] == start.sha256["tokenizer.json"]
    original, other, mode, tabs = on_compare(context, token, run.id)
    assert (original["value"], other["value"], mode, tabs.selected) == (
        LETTERS,
        run.id,
        "checkpoints",
        "compare",
    )


def test_without_an_original_there_is_nothing_to_compare(context: AppContext, finished: Run) -> None:
    with pytest.raises(RequestError, match="began from random weights"):
        on_compare(context, new_token(), finished.id)


def test_a_look_shows_the_data_and_what_to_expect(context: AppContext) -> None:
    shown, *columns, expected, command = on_look(context, DATA_NAMES, None, *form(**QUICK))
    assert isinstance(shown, DataPreview)
    assert (shown.statistics.pairs, shown.statistics.valid_pairs) == (600, 30)
    assert "million weights" in expected
    assert command.startswith("python -m models.training --config reversal.json")
    assert all("choices" not in column for column in columns)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kind": "file"}, "Choose a file first"),
        ({"kind": "paste", "text": ""}, "Paste some pairs first"),
        ({"kind": "paste", "text": "one column\nonly"}, "cannot be told apart"),
        ({"kind": "corrections"}, "You have taught 0 sentences so far"),
        ({"kind": "hub"}, "Name a dataset on the Hub"),
        ({"kind": "magic"}, "The kind of data must be one of"),
        ({"task": "poetry"}, "The task must be one of"),
        ({"reversal.longest": None}, "must be a whole number"),
        ({"reversal.shortest": 30}, "make the first no larger than the second"),
        ({"epochs": 0}, "Epochs must be a whole number from 1 to 1,000; got 0"),
        ({"optimizer.learning_rate": "fast"}, "Learning rate must be a number"),
        ({"network.bidirectional": True, "network.d_model": 15}, "These settings do not go together"),
        ({"start": "nothing"}, "There is no checkpoint 'nothing'"),
    ],
    ids=str,
)
def test_what_does_not_work_is_said_where_the_preview_is(
    context: AppContext, changes: dict[str, Any], sentence: str
) -> None:
    if "start" in changes:
        with pytest.raises(LookupError, match=sentence):
            on_look(context, DATA_NAMES, new_token(), *form(**QUICK | changes))
        return
    shown, *_ = on_look(context, DATA_NAMES, new_token(), *form(**QUICK | changes))
    assert isinstance(shown, str)
    assert sentence in shown


def test_malformed_rows_wait_for_a_tick(context: AppContext) -> None:
    rows = [f"eins {i}\tone {i}" for i in range(30)]
    rows[4] = "nothing beside it"
    changes = QUICK | {"kind": "paste", "text": "\n".join(rows)}
    with pytest.raises(RequestError, match=r"1 rows cannot be read; the first is line 5: "):
        on_begin(context, DATA_NAMES, new_token(), *form(**changes))
    run = begin(context, new_token(), **changes | {"skip_malformed": True})
    assert len((run.data / "train.tsv").read_text().splitlines()) < 30
    on_stop(context, run.id)
    wait_for_end(run)


def test_a_recipe_survives_the_form(context: AppContext, tmp_path: Path) -> None:
    text = on_save(context, DATA_NAMES, *form(title="My run", **QUICK))
    recipe = TrainingConfig.from_dict(json.loads(text))
    assert (recipe.name, recipe.epochs, recipe.data.options["longest"]) == ("my-run", 2, 4)
    path = tmp_path / "recipe.json"
    path.write_text(text)
    name, *updates = on_load(str(path))
    shown = {path: update["value"] for path, update in zip(PATHS, updates, strict=True) if "value" in update}
    assert name == "my-run"
    assert shown["network.d_model"] == 16
    path.write_text("{")
    with pytest.raises(RequestError, match="That is not a recipe"):
        on_load(str(path))


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
    assert set(values(on_task(context, "generated", "histories", ""))) == {
        "tokenizer.kind",
        "tokenizer.vocab_size",
        "data.max_pieces",
    }
    with pytest.raises(RequestError, match="The preset must be one of"):
        on_preset(context, "magic", "file", "reversal", "")
