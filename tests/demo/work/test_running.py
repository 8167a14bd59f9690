"""Long decodings: progress and stopping, which only their own visitor can do."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from demo.decode.server_functions import on_run
from demo.work import running as service
from demo.work.context import AppContext
from demo.work.operator.caps import MAX_STOPPABLE
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import DecodeRequest
from demo.work.running import FIRST_REPORT_SECONDS, Background, RunningDecodings, in_steps, progress_text
from demo.work.watch import Watch
from models.decoding.options import DecodingOptions
from models.decoding.search.step import SearchStep
from models.decoding.status import Stop
from models.decoding.trace import DecodingTrace
from tests.demo.conftest import LETTERS, TEXTS
from tests.demo.form import in_form
from tests.fakes.paused_search import PausedWatch
from tests.fakes.stepwise import stepwise
from tests.refusals import refused
from tests.waiting import PATIENCE, wait

# Random weights and long outputs: so many are nearly as likely as the best that the search cannot end.
ENDLESS = DecodingOptions("exact", node_budget=100_000, max_length=40, min_length=30)
ENDLESS_VALUES = in_form(TEXTS[0], strategy="exact", node_budget=100_000, max_length=40, min_length=30)


def endless(text: str = TEXTS[0]) -> DecodeRequest:
    return DecodeRequest(LETTERS, text, ENDLESS)


def last_of(answers: Iterator[object]) -> object:
    return list(answers)[-1]


@pytest.fixture
def ready(context: AppContext) -> AppContext:
    """A context with loaded weights and torch, so that times are those of decoding."""
    context.decode(DecodeRequest(LETTERS, "hola"))
    return context


def test_a_quick_decoding_is_answered_at_once_and_without_progress(
    ready: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "FIRST_REPORT_SECONDS", PATIENCE)
    request = DecodeRequest(LETTERS, "hola", DecodingOptions("greedy", max_length=5))
    assert list(stepwise(in_steps(ready, request, Watch()))) == [ready.decode(request)]


def test_a_long_decoding_reports_progress_and_returns_its_best_when_stopped(
    ready: AppContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch, reports, waits = PausedWatch(), [], []
    original = Background.done_soon

    async def done_soon(decoding: Background[DecodingTrace], seconds: float) -> bool:
        waits.append(seconds)
        wait(lambda: watch.steps > 0)
        return await original(decoding, seconds)

    monkeypatch.setattr(Background, "done_soon", done_soon)
    for answer in stepwise(in_steps(ready, endless(), watch)):
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

    trace = last_of(stepwise(in_steps(ready, endless(), ExpiredWatch(seconds=math.inf))))
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

    answers = stepwise(in_steps(ready, endless(), Counting()))
    assert isinstance(next(answers), str)
    answers.close()
    wait(lambda: bool(stopped))


def test_a_refused_decoding_raises_its_error(ready: AppContext) -> None:
    exhaustive = DecodingOptions("exhaustive", max_length=60)
    with refused(RequestError, "too_many_sequences"):
        list(stepwise(in_steps(ready, DecodeRequest(LETTERS, "hola", exhaustive), Watch())))


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
    answers = stepwise(on_run(ready, running, "me", ENDLESS_VALUES))
    sentences = []
    while not sentences or "best so far" not in sentences[-1]:
        (sentence,) = next(answers).values()
        sentences.append(sentence)
    assert "has scored" in sentences[-1]
    running.stop("me")
    last = list(answers)[-1]
    assert last["trace"]["trace"]["source_text"] == TEXTS[0]
    assert last["note"] == ""
    assert len(running) == 0


def test_a_superseded_decoding_shows_nothing_more(ready: AppContext, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "Watch", PausedWatch)
    running = RunningDecodings()
    first = stepwise(on_run(ready, running, "me", ENDLESS_VALUES))
    next(first)
    second = list(stepwise(on_run(ready, running, "me", in_form(strategy="greedy"))))
    assert "trace" in second[-1]
    assert list(first)[-1] == {}


class StoppedRunning(RunningDecodings):
    """`RunningDecodings` that stop each decoding before its first step."""

    def begin(self, session: str) -> Watch:
        watch = super().begin(session)
        self.stop(session)
        return watch


def test_stopping_before_anything_was_found_is_no_failure(ready: AppContext) -> None:
    answers = list(stepwise(on_run(ready, StoppedRunning(), "me", ENDLESS_VALUES)))
    assert answers[-1] == {
        "note": "Stopped before any output was finished; the result below is the previous one."
    }


def test_loading_is_reported_and_does_not_count_against_the_deadline() -> None:
    watch = Watch()
    watch.started -= 1000
    with watch.loading():
        assert progress_text(watch) == "Loading the checkpoint into memory, 1000 s."
    assert progress_text(watch) == "Getting ready, 0 s."
