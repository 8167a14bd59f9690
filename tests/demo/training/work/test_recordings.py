"""The recorded runs: complete, small, without lines of a corpus, and read-only."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from demo.i18n import in_language
from demo.training.run.component import run_payload, snapshots
from demo.training.run_handlers import on_archive, on_open, on_recorded, on_remove, on_resume, on_visit
from demo.training.work.run_report import RunReports
from demo.work.context import AppContext
from demo.work.requests.checks import RequestError
from demo.work.training_service import TrainingService
from models.registry.registry import Registry
from models.training.events import ProbeDecoded, SampleDecoded
from models.training.launch.child_process import ProcessLauncher
from models.training.launch.launcher import TrainingLimits
from models.training.runs.collection import RunError, Runs
from models.training.runs.request import RunState, new_token
from models.training.runs.run_folder import Run
from tests.fakes.training.processes import events_of
from tests.refusals import refused

RECORDINGS = Path(__file__).parents[4] / "recordings"
NAMES = sorted(folder.name for folder in RECORDINGS.iterdir())
LARGEST = 300_000  # bytes of a recording
# Sentences of the project's own, which are in no corpus.
SENTENCES = {
    "Mi hermana quiere comprar una casa roja cerca del mar.",
    "El gato negro duerme sobre la mesa vieja.",
    "No sé dónde está el libro azul.",
}


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    shutil.copytree(RECORDINGS, tmp_path / "recordings")
    return Runs(tmp_path / "runs", recorded=tmp_path / "recordings")


@pytest.fixture
def context(runs: Runs, tmp_path: Path) -> AppContext:
    limits = TrainingLimits(root=runs.root)
    training = TrainingService(runs, ProcessLauncher(runs, limits), limits)
    return AppContext(Registry(tmp_path / "none", training.checkpoint_folder), "cpu", training=training)


def probes(run: Run) -> list[ProbeDecoded]:
    return [event for event in events_of(run) if isinstance(event, ProbeDecoded)]


def strongest(probe: ProbeDecoded) -> list[int]:
    """The source token that each output token looked at most."""
    assert probe.attention is not None
    return [max(range(len(row)), key=row.__getitem__) for row in probe.attention]


def test_recorded_runs_are_finished_and_titled_in_the_language_of_the_reader(runs: Runs) -> None:
    assert [run.id for run in runs.recorded_runs()] == NAMES
    assert {run.state() for run in runs.recorded_runs()} == {RunState.FINISHED}
    with in_language("es"):
        titles = [RunReports(runs).report(run).title for run in runs.recorded_runs()]
    assert titles == ["Aprender a deletrear al revés", "Aprender a traducir del español"]


@pytest.mark.parametrize("name", NAMES)
def test_the_recorded_alignment_emerges_by_the_last_step(runs: Runs, name: str) -> None:
    run = runs.find(name)
    first, *_, last = probes(run)
    assert len(set(strongest(first))) <= 2  # it looks at one place, whatever it writes
    assert len(set(strongest(last))) >= 8
    stored = snapshots(events_of(run))
    assert (stored[-1].probe, len(stored) > 20) == (last, True)
    assert name in run_payload(RunReports(runs).report(run))


def test_reversal_ends_on_the_anti_diagonal(runs: Runs) -> None:
    last = probes(runs.recorded_runs()[0])[-1]
    assert last.output == "dellornu"
    assert strongest(last)[:8] == list(range(7, -1, -1))


@pytest.mark.full
def test_the_translator_ends_on_words_that_mean_the_same(runs: Runs) -> None:
    last = probes(runs.recorded_runs()[1])[-1]
    attended = [last.source[index].strip("▁") for index in strongest(last)]
    pairs = dict(zip((token.strip("▁") for token in last.free_running), attended, strict=True))
    meanings = {"sister": "hermana", "wants": "quiere", "buy": "comprar", "house": "casa", "near": "cerca"}
    assert {word: pairs[word] for word in meanings} == meanings


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_is_small_and_contains_neither_corpus_nor_machine_names(name: str) -> None:
    files = list((RECORDINGS / name).iterdir())
    assert sum(path.stat().st_size for path in files) < LARGEST
    assert {path.name for path in files} == {"events.jsonl", "run.json", "status.json"}
    assert not any(re.search(r'"/\w+/', path.read_text(encoding="utf-8")) for path in files)
    samples = [event for event in events_of(Run(RECORDINGS / name)) if isinstance(event, SampleDecoded)]
    assert {event.source for event in samples} <= SENTENCES or all(
        " " not in sample.source for sample in samples
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_cannot_be_changed_or_resumed(context: AppContext, runs: Runs, name: str) -> None:
    run, before = runs.find(name), sorted(RECORDINGS.rglob("*"))
    for handler, values in (
        (on_resume, ()),
        (on_remove, (new_token(),)),
        (on_open, (new_token(),)),
        (lambda *arguments: next(on_archive(*arguments)), (RunReports(runs),)),
    ):
        with pytest.raises((RunError, RequestError)):
            handler(context, *values, name)
    with refused(RunError, "run_recorded"):
        runs.remove(run)
    run.ask_to_stop()
    assert {path.name for path in run.folder.iterdir()} == {"events.jsonl", "run.json", "status.json"}
    assert sorted(RECORDINGS.rglob("*")) == before


def test_recordings_are_offered_to_every_visitor_and_open_by_link(context: AppContext) -> None:
    picker, overlays = on_recorded(context, NAMES[0], new_token())
    assert picker["value"] == NAMES[0]
    assert {name for _, name in picker["choices"]} == {name for _, name in overlays["choices"]} == set(NAMES)
    *_, mode, tabs = on_visit(context, NAMES[1], None)
    assert (mode, tabs.selected) == ("run", "training")


def test_a_folder_without_recordings_offers_none(tmp_path: Path) -> None:
    assert (
        Runs(tmp_path).recorded_runs() == Runs(tmp_path, recorded=tmp_path / "absent").recorded_runs() == ()
    )
