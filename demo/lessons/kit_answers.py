"""Server functions of the teacher's kit: quizzes, the test around the course, and printed sheets."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl

from demo.i18n import later, say
from demo.i18n.page_translations import lazy_words
from demo.lessons import lesson_called
from demo.lessons.answers import Answer, form_of, lesson_of, question_parts
from demo.lessons.facts import LessonState
from demo.lessons.kit import QuizItem, kit_of, pairs
from demo.lessons.lesson import Lesson, LessonStep, Prediction, text_of
from demo.lessons.outcomes import States, model_answer
from demo.lessons.states import LessonStateError, chosen_in
from demo.lessons.terms import TermError, fill_in_terms

PICTURE = "data:image/"
# What a link gives to read, in the order of a sheet, with its caption.
SOURCE_CAPTIONS = {
    "text": later("Source"),
    "other_text": later("Other source"),
    "reference": later("Reference"),
}
LAB_CAPTIONS = {
    "text": later("Text"),
    "source": later("Source"),
    "sentence": later("Sentence"),
    "word": later("Word"),
    "output": later("Output"),
    "reference": later("Reference"),
    "second": later("Another reference"),
}
OUTPUT = later("Output")
# Facts that an output would give away.
FACTS_OF_OUTPUT = ("output", "token(", "mentions", "length", "ended", "candidate", "held_")


def on_quiz(states: States, data: object) -> Answer:
    """Return the items of a lesson's exit quiz, with their answers, for the dock to show after a choice.

    Items about a checkpoint that this page lacks are left out.
    """
    lesson = lesson_of(data)
    kit = kit_of(lesson.id)
    items = []
    for item in kit.items if kit else ():
        with suppress(TermError, LessonStateError):
            items.append(_item(item, _state(states, lesson, item)))
    return {"items": items}


def on_paired(data: object) -> Answer:
    """Return the questions of the test `before` or `after` the course, with the places of right answers."""
    which = data.get("which") if isinstance(data, Mapping) else None
    questions = [(pair.lesson, pair.after if which == "after" else pair.before) for pair in pairs()]
    return {
        "items": [
            {**_item(item, LessonState()), "topic": lesson, "title": _title(lesson)}
            for lesson, item in questions
        ],
        "words": lazy_words("lesson"),
    }


def on_sheet(states: States, data: object) -> Answer:
    """Return a lesson as it is printed: with the numbers of its questions, and the answers if asked for."""
    lesson = lesson_of(data)
    with_answers = isinstance(data, Mapping) and data.get("answers") is True
    return {"steps": [_printed_step(states, step, with_answers=with_answers) for step in lesson.steps]}


def _item(item: QuizItem, state: LessonState) -> Answer:
    return {
        "name": item.name,
        "at": item.step,
        "text": fill_in_terms(text_of(item.text), state),
        "options": form_of(item.prediction)["options"],
        "answer": model_answer(item.prediction, state)["answer"],
        "explanation": fill_in_terms(text_of(item.explanation), state),
        "source": item.source,
    }


def _state(states: States, lesson: Lesson, item: QuizItem) -> LessonState:
    if not item.step:
        return LessonState()
    return states.state_of(next(step.state for step in lesson.steps if step.name == item.step))


def _title(lesson: str) -> str:
    page_lesson = lesson_called(lesson)
    return text_of(page_lesson.title) if page_lesson else lesson


def _printed_step(states: States, step: LessonStep, *, with_answers: bool) -> Answer:
    state = states.state_of(step.state)
    prediction = step.prediction
    printed: Answer = {
        "text": fill_in_terms(text_of(step.text), state),
        "given": [*sources_of(step.state), *_output(step, state)],
    }
    if prediction is not None:
        printed["prediction"] = {**form_of(prediction), **question_parts(prediction, state)}
        if with_answers:
            printed |= {
                "outcome": fill_in_terms(text_of(step.reveal), state),
                **model_answer(prediction, state),
            }
    return printed


def sources_of(query: str) -> list[dict[str, str]]:
    """Return the texts and pictures that a link gives to read, each with a caption."""
    values = dict(parse_qsl(query))
    captions = SOURCE_CAPTIONS
    if "lab" in values:
        _, options = chosen_in(values["lab"])
        values, captions = {name: str(value) for name, value in options.items()}, LAB_CAPTIONS
    return [
        {"caption": say(caption), "picture" if values[name].startswith(PICTURE) else "text": values[name]}
        for name, caption in captions.items()
        if values.get(name)
    ]


def _output(step: LessonStep, state: LessonState) -> list[dict[str, str]]:
    """Return the decoded output, unless it would answer the question of the step."""
    if not state.traces or len(state.traces) > 1 or {"output", "comparison"} & {*step.veil}:
        return []
    if step.prediction is not None and any(fact in _terms(step.prediction) for fact in FACTS_OF_OUTPUT):
        return []
    return [{"caption": say(OUTPUT), "text": state.traces[0].hypotheses[0].text}]


def _terms(prediction: Prediction) -> str:
    parts: list[Any] = [
        prediction.answer,
        prediction.options_fact,
        *(option.term for option in prediction.options),
    ]
    return " ".join(parts)
