"""A checkpoint of a visitor's own run is named by the run's title, since its name is a secret."""

from __future__ import annotations

import json
import shutil
import time
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from demo.compare.handlers import on_compare, on_compare_checkpoints
from demo.compare.view.payload import pair_payload, strategies_payload
from demo.compare.work.from_request import difference_of_tasks
from demo.evaluate.view.component import on_file, on_outline, on_part
from demo.evaluate.work.request import EvaluateRequest, requested_systems
from demo.evaluate.work.run import Evaluations
from demo.trace.payload import trace_payload
from demo.training.handlers import order_of
from demo.training.work.archive import run_archive
from demo.training.work.order import command
from demo.widgets.form.choices import own_checkpoints
from demo.work.context import AppContext
from demo.work.errors import sentence
from demo.work.jobs import JobStage
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from models.errors import UnrolledError
from models.evaluation.report.evaluation_report import as_json
from models.evaluation.segments import segments_of_pairs
from models.training.runs.request import RunRequest, RunState, RunStatus, new_token, without_secrets
from models.training.runs.run_folder import Run
from tests.fakes.training.form import DATA_NAMES, form, training_context
from tests.fakes.training.small_run import CONFIG
from tests.waiting import wait

TITLE, TOKEN = "My <b>words</b>", new_token()
BASE = "words"  # the run's checkpoint is a copy of it
GREEDY, BEAM = {"strategy": "greedy"}, {"strategy": "beam", "beam_size": 2}
PAIRS = (("hola amigo", "hello friend"), ("buenos días", "good day"))
PICTURE = "data:image/png;base64,iVBORw0KGgo="


@pytest.fixture
def context(shipped: Path, tmp_path: Path) -> AppContext:
    return training_context(shipped, tmp_path / "runs")


@pytest.fixture
def run(context: AppContext, shipped: Path) -> Run:
    assert context.training is not None
    run = context.training.runs.create(RunRequest.new(TITLE, CONFIG, TOKEN))
    shutil.copytree(shipped / BASE, run.best)
    run.write_status(RunStatus(RunState.FINISHED, time.time()))
    return run


def texts(value: Any) -> Iterator[str]:
    """All texts in plain JSON, including the names of fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from (str(name), *texts(part))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts(part)


def refusal(ask: Callable[[], object]) -> str:
    """Return the message that a visitor gets."""
    with pytest.raises(UnrolledError) as refused:
        ask()
    return sentence(refused.value)


def compared(context: AppContext, run: Run) -> list[Any]:
    *_, rows = on_compare(context, run.id, "hola", "hello", [GREEDY, BEAM])
    *_, twins = on_compare_checkpoints(context, run.id, f"{run.id}@int8", "hola", [GREEDY])
    *_, pair = on_compare_checkpoints(context, run.id, BASE, "hola", [GREEDY])
    view = strategies_payload(rows, context.label)
    payloads = [view, *(pair_payload(comparison, context.label) for comparison in (twins, pair))]
    request = [
        view,
        *view["rows"],
        *(comparison for pair in payloads[1:] for comparison in (pair, *pair["sides"])),
    ]
    for part in request:
        del part["request"]  # the browser sends it to open a row
    return [*payloads, difference_of_tasks(context, run.id, "letters")]


def decoded(context: AppContext, run: Run) -> list[Any]:
    trace = context.decode(DecodeRequest(run.id, "hola", DecodingOptions("greedy", max_length=8)))
    payload = json.loads(trace_payload(trace, context.label))
    assert payload["trace"].pop("checkpoint") == run.id  # the browser sends it with edits
    return [payload]


def evaluation(context: AppContext, run: Run) -> Iterator[Any]:
    jobs = Evaluations(context)
    systems = requested_systems([run.id], [GREEDY, BEAM], 12, context.label)
    systems += requested_systems([run.id, BASE], [GREEDY], 12, context.label)
    key = jobs.begin(EvaluateRequest(systems, segments_of_pairs(PAIRS), changes=1))
    wait(lambda: (status := jobs.status(key)) is not None and status.stage is JobStage.DONE)
    yield as_json(jobs.find(key).result)
    outline = on_outline(context, jobs, {"key": key})
    for system in outline["systems"]:
        del system["checkpoint"]  # the script makes no link of it
    yield outline
    for name, *_ in outline["parts"]:
        yield on_part(context, jobs, {"key": key, "part": name})
    for kind in ("html", "json", "csv"):
        yield on_file(context, jobs, {"key": key, "kind": kind})


def trained_on(context: AppContext, run: Run) -> Iterator[Any]:
    assert context.training is not None
    order = order_of(context, DATA_NAMES, form(start=run.id))
    yield from (order.title, order.config.to_dict(), command(order.config, run.best))


def names_in_archive(context: AppContext, run: Run, location: Path) -> list[str]:
    assert context.training is not None
    path = run_archive(run, context.training.runs, [], location)
    with zipfile.ZipFile(path) as archive:
        return [path.name, *archive.namelist()]


def refused(context: AppContext, run: Run) -> Iterator[str]:
    yield refusal(partial(context.check_fits, run.id, PICTURE))
    assert context.training is not None
    context.training.runs.remove(run)
    yield refusal(partial(context.config, run.id))
    yield context.label(run.id)


PLACES: dict[str, Callable[[AppContext, Run], Any]] = {
    "compared": compared,
    "decoded": decoded,
    "evaluation": evaluation,
    "trained_on": trained_on,
    "refused": refused,
}


@pytest.mark.slow
@pytest.mark.parametrize("location", PLACES)
def test_no_text_has_an_own_checkpoints_secret_name(context: AppContext, run: Run, location: str) -> None:
    all_texts = [text for part in PLACES[location](context, run) for text in texts(part)]
    assert any(run.id[-4:] in text for text in all_texts)  # it is named
    assert [text for text in all_texts if run.id in text] == []


def test_no_file_has_an_own_checkpoints_secret_name(context: AppContext, run: Run, tmp_path: Path) -> None:
    assert [name for name in names_in_archive(context, run, tmp_path) if run.id in name] == []


def test_an_own_checkpoint_has_the_same_label_as_in_the_lists(context: AppContext, run: Run) -> None:
    label = f"{TITLE} · {run.id[-4:]}"
    assert (label, run.id) in own_checkpoints(context, TOKEN)
    assert context.label(run.id) == label
    assert context.label(f"{run.id}@int8") == f"{label}@int8"
    assert [context.label(name) for name in (BASE, "nobody")] == [BASE, "nobody"]


def test_only_the_end_of_an_id_is_kept_in_a_text() -> None:
    first, second = "my-words-0123456789ab", "my-words-0123456789ab-on-pairs-cdef01234567"
    assert without_secrets(f"no {first}@int8.") == "no my-words · 89ab@int8."
    assert without_secrets(second) == "my-words · 89ab-on-pairs · 4567"
    for other in ("spa-eng-gru", "a-0123456789a", "2026-11-27", "abc-0123456789abc"):
        assert without_secrets(other) == other
