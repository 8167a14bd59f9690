"""Runs in pieces on a lent GPU: no step is lost or counted twice, and every refusal is reported."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest

from models.device import one_thread_each
from models.training.events import RunFailed, RunFinished, RunStarted, RunStopped, StepCompleted, parse_event
from models.training.launch import chunks
from models.training.launch.chunks import ChunkLauncher, chunk_duration, train_chunk
from models.training.launch.launcher import TrainingLimits
from models.training.launch.lent_time import NOBODY_LOOKED
from models.training.recipe.config import TrainingConfig
from models.training.runs.collection import RunError, Runs
from models.training.runs.request import RunState
from models.training.runs.run_folder import Run
from tests.fakes import lent_gpu
from tests.fakes.lent_gpu import GPU, RefusalError
from tests.fakes.training.processes import LONG, events_of, request, steps_of, stop_all
from tests.fakes.training.small_run import CONFIG, losses
from tests.fakes.training.small_run import run as run_here
from tests.messages import says
from tests.refusals import refused
from tests.waiting import wait

pytestmark = pytest.mark.slow

SAVING_SECONDS = 20.0  # seconds beyond those of training
PIECES = replace(CONFIG, epochs=20, evaluate_every=20)


@pytest.fixture(autouse=True)
def _fresh_gpu() -> Iterator[None]:
    with one_thread_each():  # otherwise a fork inherits threads that it does not have
        lent_gpu.forget()
        yield


def server(
    root: Path, *, seconds: float, saving: float = SAVING_SECONDS, visitor_wait: float = 20.0
) -> ChunkLauncher:
    chunk = GPU(duration=lambda folder, seconds, parameters: seconds + saving)(train_chunk)
    launcher = ChunkLauncher(Runs(root), TrainingLimits(root=root), chunk)
    launcher.seconds, launcher.visitor_wait = seconds, visitor_wait
    return launcher


def check(launcher: ChunkLauncher, run: Run) -> None:
    """A page's request, with a claim of its own."""
    lent_gpu.claims.set(object())
    launcher.attend(run)
    lent_gpu.claims.set(None)


def watch(launcher: ChunkLauncher, run: Run, enough: Callable[[], bool] = lambda: False) -> None:
    """Check again and again, as a page does, until the run has ended or `enough` returns True."""
    wait(lambda: not run.state().is_active or enough(), meanwhile=lambda: check(launcher, run))


def start(launcher: ChunkLauncher, config: TrainingConfig = PIECES) -> Run:
    lent_gpu.claims.set(object())
    run = launcher.start(request(config))
    lent_gpu.claims.set(None)
    return run


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundredth of a second for each look at the clock: a piece is so many steps, on any machine."""
    ticks = count()
    clock = SimpleNamespace(monotonic=lambda: next(ticks) / 100, sleep=time.sleep)
    monkeypatch.setattr(chunks, "time", clock)


@pytest.mark.full
@pytest.mark.usefixtures("ticking")
def test_a_run_in_chunks_equals_the_uninterrupted_run(tmp_path: Path) -> None:
    launcher = server(tmp_path / "runs", seconds=0.3)
    run = start(launcher)
    with refused(RunError, "run_still_under_way"):
        launcher.resume(run)
    watch(launcher, run)
    assert run.state() is RunState.FINISHED, run.sentence()
    assert len(lent_gpu.granted) >= 3
    assert set(lent_gpu.granted) == {0.3 + SAVING_SECONDS}
    whole = run_here(PIECES, tmp_path / "whole")
    events, _ = run.events()  # nothing was done over, so no event needs to be left out
    assert losses(events) == losses(whole)
    assert [type(event) for event in events if isinstance(event, RunStarted | RunFinished | RunStopped)] == [
        RunStarted,
        RunFinished,
    ]
    weights = [folder / "best" / "model.safetensors" for folder in (run.folder, tmp_path / "whole")]
    assert weights[0].read_bytes() == weights[1].read_bytes()


@pytest.fixture
def taken_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first two pieces lose their GPU after 25 steps, for a step ends with a look at the clock."""
    server, processes = os.getpid(), Counter[int]()

    def monotonic() -> float:
        processes[os.getpid()] += 1
        if os.getpid() != server and processes[os.getpid()] > 25 and len(lent_gpu.granted) <= 2:
            lent_gpu.revocation.set()
            Event().wait()
        return time.monotonic()

    monkeypatch.setattr(chunks, "time", SimpleNamespace(monotonic=monotonic, sleep=time.sleep))


@pytest.mark.usefixtures("taken_twice")
def test_a_killed_chunk_is_repeated(tmp_path: Path) -> None:
    """The GPU goes long before a piece's time is up; the next begins at what was saved last."""
    config = replace(CONFIG, epochs=12, evaluate_every=10)
    launcher = server(tmp_path / "runs", seconds=600)
    run = start(launcher, config)
    watch(launcher, run)
    assert run.state() is RunState.FINISHED, run.sentence()
    assert lent_gpu.granted == [600 + SAVING_SECONDS] * 3
    events, _ = run.events()
    assert [event.resumed_at > 0 for event in events if isinstance(event, RunStarted)] == [False, True, True]
    assert len(steps_of(events)) > len(set(steps_of(events)))
    assert losses(events_of(run)) == losses(run_here(config, tmp_path / "whole"))


def test_a_run_fails_after_losing_the_gpu_three_times(tmp_path: Path) -> None:
    launcher = server(tmp_path, seconds=1)
    launcher.chunk = GPU(duration=0.001)(train_chunk)
    run = start(launcher)
    watch(launcher, run)
    assert run.state() is RunState.FAILED
    assert events_of(run)[-1] == RunFailed(run.sentence())
    assert says(run.sentence(), "gpu_taken_away", attempts=3)
    assert "aborted" in run.sentence()
    assert len(lent_gpu.granted) == 3


def test_a_longer_chunk_is_requested_if_saving_does_not_fit(tmp_path: Path) -> None:
    launcher = server(tmp_path, seconds=20, saving=-19.999)
    run = start(launcher, CONFIG)
    watch(launcher, run)
    assert run.state() is RunState.FINISHED, run.sentence()
    assert [round(seconds) for seconds in lent_gpu.granted] == [0, 20]


def test_stop_saves_and_resume_continues(tmp_path: Path) -> None:
    launcher = server(tmp_path, seconds=10)
    run = start(launcher, LONG)
    watch(launcher, run, lambda: len(steps_of(run.events()[0])) > 3)
    launcher.stop(run)
    watch(launcher, run)
    stopped = events_of(run)[-1]
    assert isinstance(stopped, RunStopped)
    assert run.state() is RunState.STOPPED
    assert stopped.step == run.status().step == steps_of(events_of(run))[-1]
    _, index = run.events()
    lent_gpu.claims.set(object())
    launcher.resume(run)
    watch(launcher, run, lambda: len(steps_of(run.events(index)[0])) > 3)
    started = run.events(index)[0][0]
    assert isinstance(started, RunStarted)
    assert started.resumed_at == stopped.step
    stop_all(launcher)


def test_a_run_stops_when_no_page_watches_it(tmp_path: Path) -> None:
    launcher = server(tmp_path, seconds=0.3, visitor_wait=0.5)
    run = start(launcher, LONG)
    while run.state().is_active:
        time.sleep(0.02)
    assert run.state() is RunState.STOPPED
    assert run.sentence() == NOBODY_LOOKED
    assert len(lent_gpu.granted) == 1
    assert run.status().seconds < 15  # waiting is not training
    assert run.status().step == steps_of(events_of(run))[-1]


def test_a_run_stops_and_saves_at_its_time_limit(tmp_path: Path) -> None:
    launcher = server(tmp_path, seconds=0.3)
    launcher.limits = replace(launcher.limits, minutes=1)
    run = launcher.runs.create(request(LONG))
    run.write_status(replace(run.status(), state=RunState.STOPPED, seconds=59.9))
    lent_gpu.claims.set(object())
    launcher.resume(run)
    watch(launcher, run)
    assert run.state() is RunState.STOPPED
    assert says(run.sentence(), "out_of_time", minutes=1)
    assert events_of(run)[-1] == RunStopped(run.status().step, run.sentence())
    with refused(RunError, "run_minutes_over", 1):
        launcher.resume(run)


@pytest.mark.parametrize(
    ("refusal", "state", "code", "fields"),
    [
        (
            RefusalError("ZeroGPU quota exceeded", "Space app has reached its GPU limit."),
            RunState.STOPPED,
            "gpu_time_over",
            {"reason": "ZeroGPU quota exceeded"},
        ),
        (
            RefusalError("ZeroGPU client error", "Expired ZeroGPU proxy token"),
            RunState.FINISHED,
            "finished",
            {"count": 10},
        ),
        (
            RefusalError("ZeroGPU queue timeout", "No GPU was available after 60s"),
            RunState.FINISHED,
            "finished",
            {"count": 10},
        ),
    ],
)
def test_a_refusal_of_the_gpu_is_reported_or_waited_out(
    refusal: Exception, state: RunState, code: str, fields: dict[str, object], tmp_path: Path
) -> None:
    lent_gpu.refusals.append(refusal)
    launcher = server(tmp_path, seconds=30)
    run = start(launcher, CONFIG)
    watch(launcher, run)
    assert run.state() is state
    assert says(run.sentence(), code, **fields)


def test_a_refused_duration_is_halved(tmp_path: Path) -> None:
    lent_gpu.refusals.append(RefusalError("ZeroGPU illegal duration", "The requested GPU duration is large"))
    launcher = server(tmp_path, seconds=30)
    run = start(launcher, CONFIG)
    watch(launcher, run)
    assert run.state() is RunState.FINISHED
    assert lent_gpu.granted == [15 + SAVING_SECONDS]


# The newest GPUs of ZeroGPU cost half as much again as a piece declares: 55 s become 82 s.
@pytest.mark.parametrize(("left", "declared"), [(60, 40), (50, 33), (30, 20)])
def test_the_rest_of_a_quota_is_requested(left: int, declared: int, tmp_path: Path) -> None:
    lent_gpu.refusals.append(over_quota(82, left))
    launcher = server(tmp_path, seconds=40)
    launcher.chunk = GPU(duration=chunk_duration)(train_chunk)
    run = start(launcher, CONFIG)
    watch(launcher, run)
    assert run.state() is RunState.FINISHED, run.sentence()
    assert lent_gpu.granted == [declared]


@pytest.mark.parametrize(("requested", "left"), [(82, 29), (55, 0), (55, 55)])
def test_a_quota_that_is_used_up_stops_the_run(requested: int, left: int, tmp_path: Path) -> None:
    lent_gpu.refusals.append(over_quota(requested, left))
    launcher = server(tmp_path, seconds=40)
    run = start(launcher, CONFIG)
    watch(launcher, run)
    assert run.state() is RunState.STOPPED
    assert says(run.sentence(), "gpu_quota_used_up", seconds=left, wait="27:21")
    assert lent_gpu.granted == []


def over_quota(requested: int, left: int) -> RefusalError:
    words = f"({requested}s requested vs. {left}s left). Try again in 1 day, 3:20:41. "
    return RefusalError("ZeroGPU quota exceeded", f"You have exceeded your free ZeroGPU quota {words}")


def test_a_failure_inside_a_chunk_keeps_its_reason(tmp_path: Path) -> None:
    launcher = server(tmp_path, seconds=30)
    lent_gpu.claims.set(object())
    run = launcher.start(replace(request(CONFIG), device="abacus"))
    watch(launcher, run)
    assert run.state() is RunState.FAILED
    assert says(run.sentence(), "no_such_device")


def test_a_closed_chunk_saves_its_state(tmp_path: Path) -> None:
    run = Runs(tmp_path).create(request(LONG))
    lines = train_chunk(str(run.folder), 60.0)
    for line in lines:
        if isinstance(parse_event(line), StepCompleted):
            break
    lines.close()  # type: ignore[attr-defined]
    assert (run.folder / "state.safetensors").exists()
