"""The Training tab's handlers, called as the page calls them; runs are real processes."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
import torch

from demo.training.choices import PICKERS
from demo.training.handlers import on_preview
from demo.training.run_handlers import (
    on_archive,
    on_compare,
    on_open,
    on_poll,
    on_remove,
    on_rest,
    on_resume,
    on_stop,
    on_visit,
)
from demo.training.run_panel import FIRST_POLL_SECONDS, POLL_SECONDS
from demo.training.work.run_report import RunReports
from demo.widgets.form.choices import own_checkpoints
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest
from models.corpus.files.reading import read_pairs
from models.decoding.options import DecodingOptions
from models.networks.architectures import network_config
from models.registry.card import read_card
from models.registry.checkpoint import load_checkpoint
from models.training.events import EvaluationCompleted, RunFinished, StepCompleted
from models.training.runs.collection import RunError
from models.training.runs.request import GETTING_READY, TRAINING, RunState, new_token
from models.training.runs.run_folder import Run
from models.training.runs.writer import RunWriter
from tests.demo.conftest import LETTERS
from tests.fakes.training.form import DATA_NAMES, QUICK, begin, form, refusal, training_context
from tests.fakes.training.processes import events_of, request, wait_for_end, wait_for_steps
from tests.fakes.training.run_events import completed, started
from tests.messages import says
from tests.refusals import refused
from tests.waiting import wait

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def context(shipped: Path, tmp_path_factory: pytest.TempPathFactory) -> AppContext:
    return training_context(shipped, tmp_path_factory.mktemp("runs"))


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


def reports(context: AppContext) -> RunReports:
    assert context.training is not None
    return RunReports(context.training.runs)


def decode(context: AppContext, name: str, text: str) -> str:
    settings = DecodingOptions(strategy="greedy", max_length=8)
    return context.decode(DecodeRequest(name, text, settings)).hypotheses[0].text


@pytest.mark.full
def test_a_run_is_watched_to_its_end_and_used(context: AppContext, token: str, finished: Run) -> None:
    report, timer, compare, _, _, *pickers = on_poll(context, reports(context), token, finished.id, [])
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


def test_a_starting_run_is_polled_more_often_than_a_waiting_or_training_one(
    shipped: Path, tmp_path: Path
) -> None:
    context, token = training_context(shipped, tmp_path), new_token()
    assert context.training is not None
    run = context.training.runs.create(request(token=token))

    def interval() -> float:
        return on_poll(context, reports(context), token, run.id, [])[1].value

    assert interval() == FIRST_POLL_SECONDS < POLL_SECONDS
    with RunWriter(run) as writer:
        writer.set_state(RunState.QUEUED, "Waiting for 1 other run to be done with the device.")
        assert interval() == POLL_SECONDS
        writer.set_state(RunState.RUNNING, GETTING_READY)
        assert interval() == FIRST_POLL_SECONDS
        writer.set_state(RunState.RUNNING, TRAINING)
        writer.emit(started())
        assert interval() == FIRST_POLL_SECONDS
        writer.emit(completed(1))
        assert interval() == POLL_SECONDS


def test_the_form_promised_as_many_steps_as_the_run_took(
    context: AppContext, token: str, finished: Run
) -> None:
    *_, expected, _ = on_preview(context, DATA_NAMES, token, *form(title="Backwards", **QUICK))
    last = events_of(finished)[-1]
    assert isinstance(last, RunFinished)
    assert f" {last.step} " in expected


def test_a_page_with_a_resting_run_receives_only_changes(
    context: AppContext, token: str, finished: Run
) -> None:
    def updates(mark: object) -> tuple[Any, ...]:
        return on_rest(context, reports(context), mark, token, finished.id, [], None, None, None)

    mark = reports(context).report(finished).mark
    nothing = gr.skip()
    assert all(update == nothing for update in updates(mark))
    for other in (None, "", {"a": 1}, mark + "0"):
        report, *more = updates(other)
        assert report.id == finished.id
        assert len(more) + 1 == len(updates(mark))


def test_a_run_that_another_browser_removed_leaves_the_list(context: AppContext, shipped: Path) -> None:
    gone, token = "backwards-0123456789ab", new_token()
    view, timer, _, runs, _, *pickers = on_rest(
        context, reports(context), "", token, gone, [], None, None, None
    )
    assert isinstance(view, str)  # the sentence of the refusal
    assert not timer.active
    assert runs["value"] is None
    assert gone not in {name for _, name in runs["choices"]}
    view, *_ = on_poll(context, reports(context), token, None, [])  # the list's change asks again
    assert view == gr.skip()  # the earlier sentence stays
    assert len(pickers) == PICKERS


def test_only_its_owner_lists_and_removes_a_run(context: AppContext, token: str, finished: Run) -> None:
    stranger = new_token()
    assert finished.id in {name for _, name in own_checkpoints(context, token)}
    assert finished.id not in {name for _, name in own_checkpoints(context, stranger)}
    _, picker, *_ = on_visit(context, "", stranger)
    assert "value" not in picker  # a later choice stays
    assert finished.id not in {name for _, name in picker["choices"]}
    names, picker, *_, tabs = on_visit(context, finished.id, stranger)  # by the run's link
    assert (names, picker["value"], tabs.selected) == (stranger, finished.id, "training")
    with refused(RequestError, "removal_of_another"):
        on_remove(context, stranger, finished.id)


@pytest.mark.parametrize("token", [None, "", "x", 3, {"a": 1}, "A" * 32])
def test_a_visitor_without_a_token_gets_one(context: AppContext, token: object) -> None:
    visitor_key, *_ = on_visit(context, "../../etc", token)
    assert len(visitor_key) == 32
    assert visitor_key != token
    assert says(refusal(context, token, **QUICK), "visitor_not_told")


def test_the_folder_is_a_checkpoint_with_its_card(context: AppContext, finished: Run, tmp_path: Path) -> None:
    archives = on_archive(context, reports(context), finished.id)
    with zipfile.ZipFile(next(archives)) as archive:
        archive.extractall(tmp_path)
    folder = tmp_path / "backwards"
    checkpoint = load_checkpoint(folder, torch.device("cpu"))
    assert checkpoint.config.task == "reversal"
    best = [e for e in events_of(finished) if isinstance(e, EvaluationCompleted) and e.best][-1]
    metrics = {metric.name: metric.value for metric in read_card(folder).metrics}
    assert metrics["perplexity"] == pytest.approx(best.perplexity, abs=1e-4)
    assert metrics["exact match"] == pytest.approx(best.exact_match, abs=1e-4)
    assert "BLEU" not in metrics


@pytest.mark.parametrize("leave", [Generator.close, list], ids=["left", "copied"])
def test_a_zip_is_gone_once_the_page_has_its_copy_or_the_visitor_has_left(
    context: AppContext, finished: Run, leave: Callable[[Any], object]
) -> None:
    archives = on_archive(context, reports(context), finished.id)
    path = Path(next(archives))
    assert path.stat().st_size
    leave(archives)
    assert not path.parent.exists()


def test_the_curves_are_downloaded_as_numbers(context: AppContext, finished: Run) -> None:
    archives = on_archive(context, reports(context), finished.id)
    with zipfile.ZipFile(next(archives)) as archive:
        names = archive.namelist()
        text = archive.read("backwards/metrics.csv").decode()
    assert any("tensorboard/events.out.tfevents" in name for name in names)
    rows = {int(row["step"]): row for row in csv.DictReader(io.StringIO(text))}
    events = events_of(finished)
    for event in events:
        if isinstance(event, StepCompleted):
            assert float(rows[event.step]["train/loss"]) == event.loss
        if isinstance(event, EvaluationCompleted):
            assert float(rows[event.step]["valid/loss"]) == event.loss
    assert len(rows) == len({e.step for e in events if isinstance(e, StepCompleted | EvaluationCompleted)})


@pytest.mark.full
def test_a_run_can_be_stopped_resumed_and_removed(context: AppContext) -> None:
    token = new_token()
    run = begin(context, token, **QUICK | {"epochs": 1000})
    wait_for_steps(run, 4)
    with refused(RunError, "run_under_way"):
        on_remove(context, token, run.id)
    assert says(refusal(context, token, **QUICK), "one_run_each")
    wait(lambda: (run.best / "README.md").exists() or (run.best / "config.json").exists())
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
    view, picker, _ = on_remove(context, token, run.id)
    assert view is None
    assert picker["value"] is None
    assert not run.folder.exists()


def decode_weights(context: AppContext, run: Run) -> torch.Tensor:
    """Some weights of the checkpoint as the other tabs load it."""
    model = context.checkpoint(run.id).model
    return next(iter(model.parameters())).detach().clone()


@pytest.mark.full
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
    taught = read_pairs(run.data / "train.tsv")
    one, other, request = on_compare(context, reports(context), token, run.id)
    names = {name for _, name in one["choices"]} & {name for _, name in other["choices"]}
    compared = json.loads(request)
    assert (compared["checkpoint"], compared["other_checkpoint"]) == (LETTERS, run.id)
    assert {LETTERS, run.id} <= names
    assert compared["text"] in {source for source, _ in taught}


def test_a_run_from_scratch_has_no_original_to_compare(context: AppContext, finished: Run) -> None:
    with refused(RequestError, "run_without_original"):
        on_compare(context, reports(context), new_token(), finished.id)
