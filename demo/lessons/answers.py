"""Server functions for lessons: their texts, the options of a prediction, and its outcome.

Whatever has to be computed is computed once for all visitors: thirty pupils predict the same thing.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import gradio as gr

from demo.i18n import say
from demo.i18n.words import late_words
from demo.lessons import lesson_called
from demo.lessons.class_answers import class_handlers
from demo.lessons.facts import LessonState
from demo.lessons.histogram import prediction_of
from demo.lessons.lesson import Lesson, LessonStep, Prediction, text_of
from demo.lessons.places import covered, place_named
from demo.lessons.states import state_of
from demo.lessons.terms import filled, has_terms, value_of, value_text
from demo.requests.checks import RequestError
from demo.server.calls.small_questions import answer_to
from demo.service.classroom import Classrooms
from demo.service.context import AppContext
from models.errors import brief as quoted_value
from models.lru_cache import LruCache

Answer: TypeAlias = "dict[str, Any]"
MAX_STATES = 64  # kept, each a few traces


@dataclass
class _CachedState:
    state: LessonState | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)  # held while the state is computed


class States:
    """The states of lessons' links, computed once and kept; concurrent requests share a computation."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._entries: LruCache[str, _CachedState] = LruCache(MAX_STATES)

    def of(self, query: str) -> LessonState:
        """Return the state that a link shows. Raises what `state_of` raises."""
        entry = self._entries.get_or_make(query, _CachedState)
        with entry.lock:
            if entry.state is None:
                entry.state = state_of(self._context, query)
            return entry.state


def on_lesson(data: object) -> Answer:
    """Return all texts of a lesson that need no decoding."""
    lesson = _lesson(data)
    return {
        "id": lesson.id,
        "title": text_of(lesson.title),
        "minutes": lesson.minutes,
        "reading": text_of(lesson.reading),
        "steps": [_sent(step) for step in lesson.steps],
        "words": late_words("lesson"),
    }


def on_step(states: States, data: object) -> Answer:
    """Return the text of a step with its numbers, and the options of its prediction."""
    step = _step(data)
    state = states.of(step.state)
    return {"text": filled(text_of(step.text), state), **_offered(step.prediction, state)}


def on_reveal(states: States, data: object) -> Answer:
    """Return the model's answer to a prediction, and the sentence that explains it."""
    step = _step(data)
    prediction = prediction_of(step)
    state = states.of(step.state)
    return {**answered(prediction, state), "text": filled(text_of(step.reveal), state)}


def answered(prediction: Prediction, state: LessonState) -> Answer:
    """Return the model's answer in the form of the reader's: an option's index, an order, a number, rows."""
    if prediction.kind == "order":
        values = _values(prediction, state)
        order = sorted(range(len(values)), key=lambda index: -values[index])
        return {"answer": order, "shown": [value_text(values[index]) for index in order]}
    if prediction.kind == "choose":
        if prediction.of:
            right = value_of(prediction.answer, state)
            return {"answer": value_of(prediction.of, state).index(right)}
        return {"answer": [value_of(option.term, state) for option in prediction.options].index(True)}
    result = value_of(prediction.answer, state)
    return (
        {"answer": result, "shown": value_text(result)} if prediction.kind == "number" else {"answer": result}
    )


def _values(prediction: Prediction, state: LessonState) -> list[float]:
    """Return the values by which the lines of an order are sorted."""
    if prediction.of:
        return [float(-index) for index in range(len(value_of(prediction.of, state)))]
    return [value_of(option.term, state) for option in prediction.options]


def _offered(prediction: Prediction | None, state: LessonState) -> Answer:
    if prediction is None:
        return {}
    if prediction.kind == "draw":
        picture = value_of(prediction.answer, state)
        return {"rows": picture.get("rows", []), "columns": picture["columns"]}
    if prediction.of:
        return {"options": value_of(prediction.of, state)}
    return {}


def _sent(step: LessonStep) -> Answer:
    prediction = step.prediction
    sent: Answer = {
        "name": step.name,
        "text": text_of(step.text),
        "opens": bool(step.link),
        "state": step.state,
        "done": step.done,
        "asks": has_terms(text_of(step.text))
        or bool(prediction and (prediction.of or prediction.kind == "draw")),
    }
    if step.look:
        label, selectors = place_named(step.look)
        sent["look"] = {"name": step.look, "selectors": selectors, "label": say(label)}
    if step.veil:
        sent["veil"] = ", ".join(covered(name) for name in step.veil)
    if prediction is not None:
        sent["prediction"] = {
            "kind": prediction.kind,
            "options": [text_of(option.text) for option in prediction.options],
            "low": prediction.low,
            "high": prediction.high,
        }
    elif step.reveal:
        sent["reveal"] = text_of(step.reveal)
    return sent


def _lesson(data: object) -> Lesson:
    lesson_id = data.get("lesson") if isinstance(data, Mapping) else None
    lesson = lesson_called(lesson_id)
    if lesson is None:
        raise RequestError("no_such_lesson", "There is no lesson {value}.", value=quoted_value(lesson_id))
    return lesson


def _step(data: object) -> LessonStep:
    lesson = _lesson(data)
    assert isinstance(data, Mapping)
    number = data.get("step")
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(lesson.steps):
        raise RequestError(
            "no_such_lesson_step",
            "The lesson has {count} steps; there is no step {value}.",
            value=quoted_value(number),
            count=len(lesson.steps),
        )
    return lesson.steps[number - 1]


def lesson_server_functions(
    context: AppContext, classes: Classrooms
) -> list[Callable[..., Awaitable[Answer]]]:
    """Return the server functions of a `LessonDock`, by the names that its script uses."""
    states = States(context)
    answers: dict[str, Callable[[object], Answer]] = {
        "lesson": on_lesson,
        "step": partial(on_step, states),
        "reveal": partial(on_reveal, states),
        **class_handlers(classes),
    }
    return [server_function(name, answer) for name, answer in answers.items()]


def server_function(name: str, on: Callable[[object], Answer]) -> Callable[..., Awaitable[Answer]]:
    """Return a server function of this name; Gradio finds the request by its annotation."""

    async def answer(data: object, request: gr.Request) -> Answer:
        return await answer_to(request, lambda _: partial(on, data))

    answer.__name__ = name
    return answer
