"""Server functions for a class: open it, predict in it, lead it, and show how it stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from demo.learn.classroom import Classrooms
from demo.learn.lessons import lesson_called
from demo.learn.lessons.histogram import checked_guess, of_class, prediction_of
from demo.learn.lessons.lesson import Lesson
from demo.work.requests.checks import RequestError

Answer: TypeAlias = "dict[str, Any]"
MAX_CHARACTERS = 80  # the most characters of the name of a class or a pupil, or of a key


def on_open(classes: Classrooms, data: object) -> Answer:
    """Open a class for a lesson and return it with the teacher's key."""
    lesson = lesson_called(text_argument(data, "lesson"))
    if lesson is None or not isinstance(data, Mapping):
        raise RequestError("class_without_lesson", "A class needs a lesson. Open one, then open the class.")
    opened = classes.open(lesson.id, _step_of(lesson, data.get("step", 1)))
    return {"class": opened.id, "key": opened.key}


def on_predict(classes: Classrooms, data: object) -> Answer:
    """Accept a pupil's prediction."""
    lesson, number = _lesson_and_step(classes, data)
    assert isinstance(data, Mapping)
    guess = checked_guess(prediction_of(lesson.steps[number - 1]), data.get("guess"))
    classes.predict(text_argument(data, "class"), text_argument(data, "pupil"), number, guess)
    return {}


def on_lead(classes: Classrooms, data: object) -> Answer:
    """Move the class to the teacher's step, revealed or not, and return its state."""
    _, number = _lesson_and_step(classes, data)
    assert isinstance(data, Mapping)
    name, key = text_argument(data, "class"), text_argument(data, "key")
    classes.lead(name, key, number, reveal=data.get("reveal") is True)
    return on_class_state(classes, data)


def on_class_state(classes: Classrooms, data: object) -> Answer:
    """Return the state of a class at a step: how many pupils are present, and how many have predicted.

    A summary of their predictions follows once the step is revealed; with the teacher's key it comes before.
    A request without the key may name a pupil, who then counts as present.
    """
    lesson, number = _lesson_and_step(classes, data)
    assert isinstance(data, Mapping)
    pupil, key = (text_argument(data, name) if data.get(name) else "" for name in ("pupil", "key"))
    result, pupils, leads = classes.find(text_argument(data, "class"), pupil, key)
    guesses = list(result.guesses.get(number, {}).values())
    prediction = lesson.steps[number - 1].prediction
    answer: Answer = {
        "lesson": lesson.id,
        "step": result.step,
        "pupils": pupils,
        "predicted": len(guesses),
        "revealed": number in result.revealed,
    }
    if prediction is not None and (leads or answer["revealed"]):
        answer |= of_class(prediction, guesses)
    return answer


def _lesson_and_step(classes: Classrooms, data: object) -> tuple[Lesson, int]:
    """The lesson of a class, and the requested step. Raises RequestError."""
    result, *_ = classes.find(text_argument(data, "class"))
    lesson = lesson_called(result.lesson)
    assert lesson is not None
    assert isinstance(data, Mapping)
    return lesson, _step_of(lesson, data.get("step"))


def _step_of(lesson: Lesson, number: object) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(lesson.steps):
        count = len(lesson.steps)
        raise RequestError(
            "no_such_class_step",
            "step must be a number from 1 to {count}, the steps of this lesson.",
            count=count,
        )
    return number


def text_argument(data: object, name: str) -> str:
    """Return a short text of a request. Raises RequestError."""
    value = data.get(name) if isinstance(data, Mapping) else None
    if not isinstance(value, str) or not 0 < len(value) <= MAX_CHARACTERS:
        raise RequestError(
            "class_question_incomplete", "A request about a class must include its {name}.", name=name
        )
    return value


def class_handlers(classes: Classrooms) -> dict[str, Callable[[object], Answer]]:
    """Return the server functions of a class by name."""
    return {
        "class_open": lambda data: on_open(classes, data),
        "class_predict": lambda data: on_predict(classes, data),
        "class_lead": lambda data: on_lead(classes, data),
        "class_look": lambda data: on_class_state(classes, data),
    }
