"""A lab that trains, called as by the page's script."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from demo.labs import Lab, LabTraining
from demo.learn.lab_answers import TRAINING_LIMITS, LiveTraining, on_lab
from demo.widgets.answers.content import Controls, NotHereError
from demo.work.turns import Turns
from tests.fakes.training.paused_training import FAILING, STEPS, Clock, PausedTraining
from tests.waiting import wait


@pytest.fixture
def paused() -> PausedTraining:
    return PausedTraining()


@pytest.fixture
def training() -> LiveTraining:
    return LiveTraining(Turns(8), replace(TRAINING_LIMITS, running=1, waiting=1), Clock())


@pytest.fixture(autouse=True)
def _only_lab(paused: PausedTraining, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("demo.learn.lab_answers.labs", lambda: (paused.lab(),))
    yield
    paused.let(1000)


def ask(training: LiveTraining, session: str = "one", act: str = "", **options: Any) -> dict[str, Any]:
    return on_lab({"lab": "held", "options": options, "act": act}, training, session)


def test_a_lab_is_trained_and_drawn_anew(paused: PausedTraining, training: LiveTraining) -> None:
    answer = ask(training)
    assert answer["training"] == {"stage": "ready", "message": "", "share": 0}
    answer = ask(training, act="train")
    assert (answer["training"]["stage"], answer["training"]["message"]) == ("running", "Getting ready.")
    paused.let(1)
    wait(lambda: ask(training)["sentences"] == ["1 steps at speed 1."])
    answer = ask(training)
    assert answer["training"] == {
        "stage": "running",
        "message": "About 0 s left.",
        "share": 0.25,
        "position": 0,
    }
    paused.let(STEPS)
    wait(lambda: ask(training)["training"]["stage"] == "done")
    answer = ask(training, colour="blue")  # no setting of the training
    assert answer["sentences"] == ["4 steps at speed 1."]
    assert answer["training"]["message"] == "Trained."
    assert answer["charts"][0]["data"][0]["y"] == [0, 1, 2, 3]


def test_a_waiting_visitor_gets_a_position_and_a_full_line_is_refused(
    paused: PausedTraining, training: LiveTraining
) -> None:
    ask(training, "one", "train")
    assert (
        ask(training, "two", "train")["training"]["message"]
        == "Others are training now. You are number 1 in the queue."
    )
    answer = ask(training, "three", "train")
    assert answer["training"]["stage"] == "failed"
    assert "1 trainings are in the queue already" in answer["training"]["message"]
    assert answer["sentences"]  # the lab itself is there
    assert ask(training, "two", "stop")["training"]["stage"] == "ready"


def test_a_visitor_does_not_see_trainings_of_others(paused: PausedTraining, training: LiveTraining) -> None:
    ask(training, "one", "train")
    paused.let(STEPS)
    wait(lambda: ask(training, "one")["training"]["stage"] == "done")
    assert ask(training, "two")["sentences"] == ["0 steps at speed 1."]
    assert ask(training, "two")["training"]["stage"] == "ready"


def test_other_settings_end_a_training(paused: PausedTraining, training: LiveTraining) -> None:
    ask(training, act="train")
    assert ask(training, speed=2)["training"]["stage"] == "ready"
    paused.let(1)
    wait(lambda: ask(training)["training"]["stage"] == "stopped")
    assert ask(training)["training"]["message"] == "Stopped because you changed what is trained."


def test_a_stopped_and_a_failed_training_are_reported(paused: PausedTraining, training: LiveTraining) -> None:
    ask(training, act="train")
    ask(training, act="stop")
    paused.let(1)
    wait(lambda: ask(training)["training"]["stage"] == "stopped")
    assert ask(training)["training"]["message"] == "Stopped."
    ask(training, act="train", speed=FAILING)
    paused.let(2)
    wait(lambda: ask(training, speed=FAILING)["training"]["stage"] == "failed")
    answer = ask(training, speed=FAILING)
    assert answer["training"]["message"] == "The loss is no number any more."
    assert answer["sentences"] == ["1 steps at speed 3."]


def test_settings_that_cannot_be_trained_are_refused_by_the_lab(
    paused: PausedTraining, training: LiveTraining, monkeypatch: pytest.MonkeyPatch
) -> None:
    def settings(controls: Controls) -> str:
        controls.text_field("text", "text")
        raise NotHereError("There is nothing to read.")

    lab = Lab("held", "Held", "?", 5, settings, LabTraining(settings, paused.run))  # type: ignore[arg-type]
    monkeypatch.setattr("demo.learn.lab_answers.labs", lambda: (lab,))
    answer = ask(training, act="train")
    assert answer["refused"] == "There is nothing to read."
    assert [control["name"] for control in answer["controls"]] == ["text"]
    assert "training" not in answer


def test_without_a_training_service_a_lab_only_shows_its_answer(paused: PausedTraining) -> None:
    assert "training" not in on_lab({"lab": "held"})
