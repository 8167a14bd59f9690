"""A page without the shipped checkpoints answers each question of a lesson, or says what is missing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from demo.learn.lessons import kit_of, lessons
from demo.learn.lessons.answers import on_quiz, on_reveal, on_step
from demo.learn.lessons.lesson import Lesson
from demo.learn.lessons.states import States
from demo.work.context import AppContext
from models.errors import UnrolledError
from models.registry.registry import Registry
from tests.source_modules import ROOT

AVAILABLE = ("reverse-gru", "reverse-lstm")


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> States:
    folder = tmp_path_factory.mktemp("checkpoints")
    for name in AVAILABLE:
        (folder / name).symlink_to(Path(ROOT) / "checkpoints" / name)
    return States(AppContext(Registry(folder), "cpu"))


def refusal_of(call: Callable[[], object]) -> str:
    """The sentence of a refusal, or that there was none. Other errors are raised."""
    try:
        call()
    except UnrolledError as error:
        return error.message
    return "answered"


@pytest.mark.full
@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.id)
def test_a_lesson_without_its_checkpoint_answers_or_refuses_with_a_message(
    lesson: Lesson, states: States
) -> None:
    for number, step in enumerate(lesson.steps, 1):
        request = {"lesson": lesson.id, "step": number}
        for answer in (on_step, on_reveal) if step.prediction else (on_step,):
            assert refusal_of(partial(answer, states, request))


@pytest.mark.full
def test_a_quiz_omits_items_that_need_another_checkpoint(states: States) -> None:
    kit = kit_of("bottleneck")
    assert kit is not None
    general = [item.name for item in kit.items if not item.step]
    names = [item["name"] for item in on_quiz(states, {"lesson": "bottleneck"})["items"]]
    assert {*general} <= {*names} < {item.name for item in kit.items}
