"""Trainings of labs: running, waiting, ending and keeping their results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from demo.i18n import in_language, message_text
from demo.learn.lab_answers import TRAINING_LIMITS, LiveTraining, Subject
from demo.work.jobs import JobStage, JobStatus
from demo.work.requests.checks import RequestError
from demo.work.turns import Turns
from demo.work.watch import Watch
from models.labs.training import Progress
from tests.demo.work.test_turns import waiter
from tests.fakes.servers.occupied_server import Occupied
from tests.fakes.training.paused_training import FAILING, STEPS, Clock, PausedTraining
from tests.refusals import refused
from tests.waiting import wait

ONE = Subject("one", "held", 1.0)


class LiveTrainingService:
    """A server's trainings, under a clock of the test."""

    def __init__(self, turns: Turns | None = None, **limits: float) -> None:
        self.clock, self.effort = Clock(), Clock()
        self.training = LiveTraining(
            turns or Turns(8),
            replace(TRAINING_LIMITS, **limits),
            self.clock,
            self.effort,  # type: ignore[arg-type]
        )

    def begin(self, subject: Subject) -> PausedTraining:
        paused = PausedTraining()
        self.training.begin(subject, partial(paused.run, subject.settings))  # type: ignore[arg-type]
        return paused

    def status(self, subject: Subject) -> JobStatus:
        status = self.training.status(subject)
        assert status is not None
        return status

    def stage(self, subject: Subject) -> JobStage:
        return self.status(subject).stage

    def until(self, subject: Subject, stage: JobStage) -> JobStatus:
        wait(lambda: self.stage(subject) is stage)
        return self.status(subject)


@pytest.fixture
def desk() -> LiveTrainingService:
    return LiveTrainingService()


def subject_of(session: str, settings: float = 1.0) -> Subject:
    return replace(ONE, session=session, settings=settings)


def test_a_training_reports_its_progress_and_result(desk: LiveTrainingService) -> None:
    paused = desk.begin(ONE)
    assert desk.status(ONE) == JobStatus(JobStage.RUNNING)
    assert desk.training.result(ONE) is None
    paused.let(1)
    wait(lambda: desk.training.result(ONE) == (0,))
    desk.clock.now = 3.0
    assert desk.status(ONE) == JobStatus(JobStage.RUNNING, share=1 / STEPS, seconds=9.0)
    paused.let(STEPS)
    assert desk.until(ONE, JobStage.DONE) == JobStatus(JobStage.DONE, 0, 1.0)
    assert desk.training.result(ONE) == tuple(range(STEPS))


def test_two_trainings_run_and_a_third_waits_with_its_position(desk: LiveTrainingService) -> None:
    subjects = [subject_of(name) for name in "abcd"]
    paused = [desk.begin(subject) for subject in subjects]
    assert [desk.status(subject).stage for subject in subjects] == [JobStage.RUNNING] * 2 + [
        JobStage.WAITING
    ] * 2
    assert [desk.status(subject).position for subject in subjects] == [0, 0, 1, 2]
    paused[1].let(STEPS)
    desk.until(subjects[1], JobStage.DONE)
    assert desk.stage(subjects[2]) is JobStage.RUNNING
    assert desk.status(subjects[3]) == JobStatus(JobStage.WAITING, 1)
    for item in paused:
        item.let(STEPS)
    for subject in subjects:
        desk.until(subject, JobStage.DONE)


def test_a_stopped_training_keeps_its_result_and_the_next_begins(desk: LiveTrainingService) -> None:
    subjects = [subject_of(name) for name in "abc"]
    paused = [desk.begin(subject) for subject in subjects]
    paused[0].let(1)
    wait(lambda: desk.training.result(subjects[0]) is not None)
    desk.training.stop("a")
    paused[0].let(1)  # the step that it is in the middle of
    assert desk.until(subjects[0], JobStage.STOPPED).share == 2 / STEPS
    assert desk.training.result(subjects[0]) == (0, 1)
    wait(lambda: desk.stage(subjects[2]) is JobStage.RUNNING)
    for item in paused[1:]:
        item.let(STEPS)
    for subject in subjects[1:]:
        desk.until(subject, JobStage.DONE)
    again = desk.begin(subjects[0])
    assert desk.status(subjects[0]) == JobStatus(JobStage.RUNNING)
    again.let(STEPS)
    desk.until(subjects[0], JobStage.DONE)


def test_a_waiting_training_that_stops_leaves_the_line(desk: LiveTrainingService) -> None:
    paused = [desk.begin(subject_of(name)) for name in "abc"]
    desk.training.stop("c")
    assert desk.training.status(subject_of("c")) is None
    for item in paused[:2]:
        item.let(STEPS)
    desk.until(subject_of("a"), JobStage.DONE)
    desk.until(subject_of("b"), JobStage.DONE)
    assert paused[2].ended == 0  # it never began


def test_a_training_whose_visitor_leaves_is_ended(desk: LiveTrainingService) -> None:
    paused = [desk.begin(subject_of(name)) for name in "abcd"]
    desk.clock.now = TRAINING_LIMITS.absent_seconds + 1
    desk.training.stop("nobody")
    assert desk.training.status(subject_of("d")) is None  # it left the line
    paused[0].let(1)
    paused[1].let(1)
    wait(lambda: paused[0].ended == paused[1].ended == 1)
    wait(lambda: desk.stage(subject_of("a")) is desk.stage(subject_of("b")) is JobStage.STOPPED)
    assert paused[2].ended == paused[3].ended == 0
    late = desk.begin(subject_of("e"))
    assert desk.stage(subject_of("e")) is JobStage.RUNNING
    late.let(STEPS)
    desk.until(subject_of("e"), JobStage.DONE)


def test_a_training_continues_while_its_visitor_polls(desk: LiveTrainingService) -> None:
    paused = desk.begin(ONE)
    for moment in range(1, STEPS + 1):
        desk.clock.now = moment * TRAINING_LIMITS.absent_seconds * 0.9
        assert desk.status(ONE).stage is not JobStage.STOPPED
        paused.let(1)
        wait(lambda moment=moment: len(desk.training.result(ONE) or ()) == moment)  # type: ignore[misc,arg-type]
    desk.until(ONE, JobStage.DONE)


def test_a_failing_step_is_explained_and_the_result_kept(desk: LiveTrainingService) -> None:
    subject = subject_of("one", FAILING)
    paused = desk.begin(subject)
    paused.let(2)
    report = desk.until(subject, JobStage.FAILED)
    assert report.reason == "The loss is no number any more."
    assert desk.training.result(subject) == (0,)


def test_a_fault_is_logged_and_reported_without_details(
    desk: LiveTrainingService, caplog: pytest.LogCaptureFixture
) -> None:
    def steps() -> Iterator[Progress[int]]:
        yield Progress(0.5, lambda: 1)
        raise ZeroDivisionError

    desk.training.begin(ONE, steps)
    reason = desk.until(ONE, JobStage.FAILED).reason
    with in_language("es"):
        assert "Algo" in message_text(reason)
    assert "ZeroDivisionError" in caplog.text


def test_changed_settings_end_a_training_and_restored_ones_show_its_result(desk: LiveTrainingService) -> None:
    paused = desk.begin(ONE)
    paused.let(1)
    wait(lambda: desk.training.result(ONE) is not None)
    assert desk.training.status(subject_of("one", 2.0)) is None
    paused.let(1)
    wait(lambda: paused.ended == 1)
    report = desk.until(ONE, JobStage.STOPPED)
    assert report.reason == "Stopped because you changed what is trained."
    assert desk.training.result(ONE) == (0, 1)


def test_a_visitor_has_one_training_at_a_time(desk: LiveTrainingService) -> None:
    first, second = desk.begin(subject_of("one")), desk.begin(subject_of("one", 2.0))
    first.let(1)
    wait(lambda: first.ended == 1)
    second.let(STEPS)
    desk.until(subject_of("one", 2.0), JobStage.DONE)
    same = desk.begin(subject_of("two"))
    desk.begin(subject_of("two"))  # it is running already
    same.let(STEPS)
    desk.until(subject_of("two"), JobStage.DONE)


def test_a_training_is_stopped_after_its_processor_time() -> None:
    desk = LiveTrainingService(seconds=60)
    paused = desk.begin(ONE)
    paused.let(1)
    wait(lambda: desk.training.result(ONE) is not None)
    desk.effort.now = 61
    paused.let(1)
    report = desk.until(ONE, JobStage.STOPPED)
    assert report.reason == "This ran for more than 60 s and was stopped."


def test_a_full_waiting_line_refuses_another_training() -> None:
    desk = LiveTrainingService(running=1, waiting=1)
    paused = [desk.begin(subject_of(name)) for name in "ab"]
    with refused(RequestError, "waiting_line_full", 1):
        desk.begin(subject_of("c"))
    for item in paused:
        item.let(STEPS)
    desk.until(subject_of("b"), JobStage.DONE)


@pytest.mark.parametrize("limits", [{"max_kept": 2}, {"kept_bytes": 2 * 32 * STEPS}])
def test_finished_trainings_are_kept_up_to_a_limit(limits: dict[str, int]) -> None:
    desk = LiveTrainingService(**limits)
    for name in "abc":
        desk.begin(subject_of(name)).let(STEPS)
        desk.until(subject_of(name), JobStage.DONE)
    cached = [name for name in "abc" if desk.training.result(subject_of(name)) is not None]
    assert cached == ["b", "c"]
    desk.clock.now = 301
    assert [desk.training.status(subject_of(name)) for name in "abc"] == [None] * 3


def test_only_the_newest_results_of_a_visitor_are_kept() -> None:
    desk = LiveTrainingService(max_kept_of_visitor=2)
    for speed in (1.0, 2.0, 4.0):
        desk.begin(subject_of("one", speed)).let(STEPS)
        desk.until(subject_of("one", speed), JobStage.DONE)
    assert [desk.training.result(subject_of("one", speed)) is None for speed in (1.0, 2.0, 4.0)] == [
        True,
        False,
        False,
    ]


def test_a_training_gives_way_to_decodings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demo.learn.lab_answers.SLICE_SECONDS", 0.0)
    # A waiting decoding is woken, so it need not check.
    monkeypatch.setattr("demo.work.turns.STOP_CHECK_SECONDS", 600.0)
    turns, log = Turns(1), list[object]()
    desk = LiveTrainingService(turns)
    paused = desk.begin(ONE)
    paused.let(1)
    wait(lambda: desk.training.result(ONE) is not None)
    decoding = Watch()
    thread = waiter(turns, decoding, log)
    wait(lambda: decoding.decodings_ahead == 1)
    paused.let(1)  # after which it rests
    thread.join()
    assert log == [decoding]
    paused.let(STEPS)
    desk.until(ONE, JobStage.DONE)


def test_a_training_can_be_stopped_while_it_waits() -> None:
    turns = Turns(1)
    occupied = Occupied(turns, 1)
    desk = LiveTrainingService(turns)
    paused = desk.begin(ONE)
    assert desk.status(ONE) == JobStatus(JobStage.RUNNING)
    desk.training.stop("one")
    assert desk.until(ONE, JobStage.STOPPED) == JobStatus(JobStage.STOPPED)
    occupied.free()
    assert paused.ended == 0


def test_a_closing_server_ends_trainings() -> None:
    turns = Turns(1)
    closing = LiveTrainingService(turns)
    paused = closing.begin(ONE)
    paused.let(1)
    wait(lambda: closing.training.result(ONE) is not None)
    turns.close(0)
    paused.let(1)
    closing.until(ONE, JobStage.STOPPED)
