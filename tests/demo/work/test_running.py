"""Long decodings: progress and stopping, which only their own visitor can do."""

from __future__ import annotations

import math
from collections.abc import Iterator

import gradio as gr
import pytest

from demo.decode.run import on_run, on_stop
from demo.work.context import AppContext
from demo.work.decoding import running as service
from demo.work.decoding.running import (
    FIRST_REPORT_SECONDS,
    RunningDecodings,
    in_steps,
    progress_text,
    start,
)
from demo.work.operator.caps import MAX_STOPPABLE
from demo.work.requests.decode import DecodeRequest, RequestError
from demo.work.watch import Watch
from models.decoding.options import DecodingOptions
from models.decoding.search.step import SearchStep
from models.decoding.status import Stop
from models.decoding.trace import DecodingTrace
from tests.demo.conftest import LETTERS, TEXTS
from tests.fakes.paused_search import PausedWatch
from tests.refusals import refused
from tests.waiting import PATIENCE, wait

SKIP = gr.skip()
# Random weights and long outputs: so many are nearly as likely as the best that the search cannot end.
ENDLESS = DecodingOptions("exact", node_budget=100_000, max_length=40, min_length=30)
ENDLESS_VALUES = (*("exact", 4, 2, 0, 0, 0, "power", "false", 1, 1, 0, 1, 0, "chrf"), 100_000, 0, 40, 30)


def endless(text: str = TEXTS[0]) -> DecodeRequest:
    return DecodeRequest(LETTERS, text, ENDLESS)


def last_of(answers: Iterator[object]) -> object:
    return list(answers)[-1]


@pytest.fixture
def ready(context: AppContext) -> AppContext:
    """A context with loaded weights and torch, so that times are those of decoding."""
    context.decode(DecodeRequest(LETTERS, "hola"))
    return context


def test_a_quick_decoding_is_answered_at_once_and_without_progress(ready: AppContext) -> None:
    request = DecodeRequest(LETTERS, "hola", DecodingOptions("greedy", max_length=5))
    under_way = start(ready, request, Watch())
    assert under_way.decoding.is_done(PATIENCE)
    assert list(in_steps(under_way)) == [ready.decode(request)]


def test_a_long_decoding_reports_progress_and_returns_its_best_when_stopped(
    ready: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, reports, waits = PausedWatch(), [], []
    under_way = start(ready, endless(), watch)
    original = under_way.decoding.is_done

    def is_done(seconds: float) -> bool:
        waits.append(seconds)
        wait(lambda: watch.steps > 0)
        return original(seconds)

    monkeypatch.setattr(under_way.decoding, "is_done", is_done)
    for answer in in_steps(under_way):
        if isinstance(answer, DecodingTrace):
            break
        reports.append(answer)
        if "best so far −" in answer:
            watch.cancelled.set()
    assert waits[0] == FIRST_REPORT_SECONDS
    assert all("has scored" in sentence for sentence in reports)
    assert isinstance(answer, DecodingTrace)
    assert answer.exploration is not None
    assert answer.exploration.stop is Stop.CANCELLED
    assert answer.hypotheses


@pytest.mark.slow
def test_the_deadline_ends_a_long_decoding_with_its_best(ready: AppContext) -> None:
    class ExpiredWatch(Watch):
        """A watch whose time ends with the first finished sequence, on any machine."""

        def __call__(self, step: SearchStep) -> Stop | None:
            self.seconds = -1.0 if step.pools[0].sequences else self.seconds
            return super().__call__(step)

    trace = last_of(in_steps(start(ready, endless(), ExpiredWatch(seconds=math.inf))))
    assert isinstance(trace, DecodingTrace)
    assert trace.exploration is not None
    assert trace.exploration.stop is Stop.TIME


@pytest.mark.slow
def test_a_visitor_who_leaves_stops_the_decoding(ready: AppContext) -> None:
    stopped: list[int] = []

    class Counting(PausedWatch):
        def __call__(self, step: SearchStep) -> Stop | None:
            stop = super().__call__(step)
            stopped.extend([step.number] if stop is Stop.CANCELLED else [])
            return stop

    answers = in_steps(start(ready, endless(), Counting()))
    assert isinstance(next(answers), str)
    answers.close()  # type: ignore[attr-defined]
    wait(lambda: bool(stopped))


def test_a_refused_decoding_raises_its_error(ready: AppContext) -> None:
    exhaustive = DecodingOptions("exhaustive", max_length=60)
    with refused(RequestError, "too_many_sequences"):
        list(in_steps(start(ready, DecodeRequest(LETTERS, "hola", exhaustive), Watch())))


def test_progress_is_described_in_words() -> None:
    watch = Watch()
    assert progress_text(watch) == "Getting ready, 0 s."
    watch.steps, watch.expanded = 1, 1
    assert progress_text(watch) == "The model has scored 1 prefix; nothing is finished yet, 0 s."
    watch.expanded, watch.best = 12_400, -3.2149
    assert progress_text(watch) == "The model has scored 12,400 prefixes; best so far −3.21 nats, 0 s."


def test_nobody_can_stop_another_visitors_decoding() -> None:
    running = RunningDecodings()
    mine, yours = running.begin("me"), running.begin("you")
    for session in ("you", "you", "nobody", ""):  # pressed twice, and by a stranger
        running.stop(session)
    assert yours.cancelled.is_set()
    assert not mine.cancelled.is_set()


def test_a_finished_decoding_is_forgotten() -> None:
    running = RunningDecodings()
    first = running.begin("me")
    second = running.begin("me")
    assert (first.cancelled.is_set(), first.superseded, second.cancelled.is_set()) == (True, True, False)
    running.end("me", first)  # it ends late
    running.stop("me")
    assert second.cancelled.is_set()
    running.end("me", second)
    running.end("me", second)
    assert len(running) == 0


def test_the_number_of_remembered_decodings_is_bounded() -> None:
    running = RunningDecodings()
    for number in range(3 * MAX_STOPPABLE):
        running.begin(f"visitor {number}")
    assert len(running) == MAX_STOPPABLE


def test_a_run_ends_with_its_trace_and_an_empty_line(
    ready: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "Watch", PausedWatch)
    running = RunningDecodings()
    answers = on_run(ready, running, "me", LETTERS, *(TEXTS[0], *ENDLESS_VALUES))
    sentences = []
    while not sentences or "best so far" not in sentences[-1]:
        trace, progress = next(answers)
        assert trace == SKIP
        sentences.append(str(progress))
    assert "has scored" in sentences[-1]
    on_stop(running, "me")
    trace, progress = list(answers)[-1]
    assert isinstance(trace, DecodingTrace)
    assert progress == ""
    assert len(running) == 0


def test_a_superseded_decoding_shows_nothing_more(ready: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "Watch", PausedWatch)
    running = RunningDecodings()
    first = on_run(ready, running, "me", LETTERS, TEXTS[0], *ENDLESS_VALUES)
    next(first)
    second = list(on_run(ready, running, "me", LETTERS, "hola", "greedy"))
    assert isinstance(second[-1][0], DecodingTrace)
    assert all(answer == (SKIP, SKIP) for answer in first)


class StoppedRunning(RunningDecodings):
    """`RunningDecodings` that stop each decoding before its first step."""

    def begin(self, session: str) -> Watch:
        watch = super().begin(session)
        self.stop(session)
        return watch


def test_stopping_before_anything_was_found_is_no_failure(ready: AppContext) -> None:
    answers = list(on_run(ready, StoppedRunning(), "me", LETTERS, TEXTS[0], *ENDLESS_VALUES))
    assert answers[-1] == (
        SKIP,
        "Stopped before any output was finished; the result below is the previous one.",
    )


def test_loading_is_reported_and_does_not_count_against_the_deadline() -> None:
    watch = Watch()
    watch.started -= 1000
    with watch.loading():
        assert progress_text(watch) == "Loading the checkpoint into memory, 1000 s."
    assert progress_text(watch) == "Getting ready, 0 s."
