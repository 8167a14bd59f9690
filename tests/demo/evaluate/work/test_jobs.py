"""Evaluations of all visitors: waiting, sharing, keeping and ending them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from demo.evaluate.work.request import EvaluateRequest, requested_systems
from demo.evaluate.work.run import EVALUATION_LIMITS, Evaluations, evaluate
from demo.i18n import message_text
from demo.work.context import AppContext
from demo.work.jobs import JobStage, JobStatus
from demo.work.requests.caller import owned_by
from demo.work.requests.checks import RequestError
from models.evaluation.report.evaluation_report import EvaluationReport
from models.evaluation.segments import segments_of_pairs
from models.registry.checkpoint import CONFIG
from tests.fakes.servers.occupied_server import Occupied
from tests.fakes.training.paused_training import Clock
from tests.refusals import check_message, refused
from tests.waiting import wait

PAIRS = (("hola amigo", "hello friend"), ("buenos días", "good day"))


def request(*pairs: tuple[str, str]) -> EvaluateRequest:
    return EvaluateRequest(
        requested_systems(["words"], [{"strategy": "greedy"}], 12), segments_of_pairs(pairs or PAIRS)
    )


def untimed(report: EvaluationReport | None) -> EvaluationReport:
    assert report is not None
    return replace(report, systems=tuple(replace(system, seconds=0) for system in report.systems))


class EvaluationService:
    """A server's evaluations under a clock of the test."""

    def __init__(self, context: AppContext, **limits: float) -> None:
        self.clock = Clock()
        self.jobs = Evaluations(context, replace(EVALUATION_LIMITS, **limits), self.clock)  # type: ignore[arg-type]

    def begin(self, request: EvaluateRequest, owner: str = "one") -> str:
        with owned_by(owner):
            return self.jobs.begin(request)

    def status(self, key: str) -> JobStatus:
        status = self.jobs.status(key)
        assert status is not None
        return status

    def until(self, key: str, stage: JobStage) -> JobStatus:
        wait(lambda: self.status(key).stage is stage)
        return self.status(key)

    def stop(self, key: str, owner: str = "one") -> None:
        with owned_by(owner):
            self.jobs.stop(key)


@pytest.fixture
def desk(context: AppContext) -> EvaluationService:
    return EvaluationService(context)


@pytest.fixture
def free_turns(context: AppContext) -> Any:
    """Occupy the turns of the processor until the test frees them."""
    occupied = Occupied(context.turns, 2)
    yield occupied.free
    occupied.free()


def test_a_job_has_the_result_of_the_evaluation(context: AppContext, desk: EvaluationService) -> None:
    key = desk.begin(request())
    assert desk.until(key, JobStage.DONE).share <= 1
    assert untimed(desk.jobs.find(key).result) == untimed(evaluate(context, request()))


def test_equal_requests_share_one_job(desk: EvaluationService, free_turns: Callable[[], None]) -> None:
    key = desk.begin(request())
    assert desk.begin(request(), "two") == key
    desk.stop(key)  # the other one still wants it
    free_turns()
    desk.until(key, JobStage.DONE)
    assert desk.begin(request(), "three") == key


def test_another_evaluation_has_another_key(desk: EvaluationService) -> None:
    assert desk.begin(request()) != desk.begin(request(PAIRS[0]), "two")


@pytest.mark.slow
def test_a_checkpoint_that_was_written_anew_is_evaluated_anew(
    context: AppContext, desk: EvaluationService
) -> None:
    key = desk.begin(request())
    desk.until(key, JobStage.DONE)
    assert desk.begin(request()) == key
    config = context.registry.folder("words") / CONFIG
    os.utime(config, (0, config.stat().st_mtime + 1))
    again = desk.begin(request())
    assert again != key
    desk.until(again, JobStage.DONE)


def test_one_evaluation_runs_and_the_others_wait_in_line(
    desk: EvaluationService, free_turns: Callable[[], None]
) -> None:
    keys = [desk.begin(request((f"hola {item}", "hello")), str(item)) for item in range(3)]
    assert [desk.status(key).stage for key in keys] == [JobStage.RUNNING, JobStage.WAITING, JobStage.WAITING]
    assert [desk.status(key).position for key in keys[1:]] == [1, 2]
    desk.stop(keys[1], "1")
    assert desk.status(keys[1]).stage is JobStage.STOPPED
    assert desk.status(keys[2]).position == 1
    free_turns()
    for key in (keys[0], keys[2]):
        desk.until(key, JobStage.DONE)


def test_another_evaluation_of_a_visitor_ends_the_previous_one(
    desk: EvaluationService, free_turns: Callable[[], None]
) -> None:
    first, second = desk.begin(request()), desk.begin(request(PAIRS[0]))
    free_turns()
    assert desk.until(first, JobStage.STOPPED).reason == ""
    desk.until(second, JobStage.DONE)


@pytest.mark.usefixtures("free_turns")
def test_a_full_line_is_reported(context: AppContext) -> None:
    desk = EvaluationService(context, waiting=1)
    desk.begin(request())
    desk.begin(request(PAIRS[0]), "two")
    with refused(RequestError, "waiting_line_full", 1):
        desk.begin(request(PAIRS[1]), "three")


def test_an_evaluation_ends_when_its_visitor_has_left(
    desk: EvaluationService, free_turns: Callable[[], None]
) -> None:
    key = desk.begin(request())
    desk.clock.now += EVALUATION_LIMITS.absent_seconds + 1
    other = desk.begin(request(PAIRS[0]), "two")
    free_turns()
    desk.until(other, JobStage.DONE)
    assert desk.status(key).stage is JobStage.STOPPED


def test_an_old_result_is_forgotten(context: AppContext) -> None:
    desk = EvaluationService(context, kept_seconds=10)
    key = desk.begin(request())
    desk.until(key, JobStage.DONE)
    desk.clock.now += 11
    assert desk.jobs.status(key) is None
    assert desk.jobs.find(key) is None


def test_the_number_of_kept_results_is_bounded(context: AppContext) -> None:
    desk = EvaluationService(context, max_kept=1)
    first = desk.begin(request())
    desk.until(first, JobStage.DONE)
    second = desk.begin(request(PAIRS[0]))
    desk.until(second, JobStage.DONE)
    assert desk.jobs.status(first) is None


def test_a_failure_has_a_reason_and_the_next_evaluation_begins(
    context: AppContext, desk: EvaluationService
) -> None:
    (context.registry.folder("letters") / "model.safetensors").write_bytes(b"damaged")
    systems = requested_systems(["letters"], [{"strategy": "greedy"}], 12)
    key = desk.begin(EvaluateRequest(systems, segments_of_pairs(PAIRS)))
    reason = desk.until(key, JobStage.FAILED).reason
    assert "letters" in message_text(reason)
    desk.until(desk.begin(request()), JobStage.DONE)


def test_an_evaluation_that_takes_too_long_is_ended(context: AppContext) -> None:
    desk = EvaluationService(context, seconds=0)
    check_message(desk.until(desk.begin(request()), JobStage.FAILED).reason, "evaluation_out_of_time")
