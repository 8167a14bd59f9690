"""Server functions for lessons: texts, options and outcome of a prediction, the recap, quizzes and tests."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

import gradio as gr

from demo.i18n import say
from demo.i18n.page_translations import lazy_words
from demo.learn.lessons import QuizItem, kit_of, lesson_called, lessons, pairs
from demo.learn.lessons.evidence import covered_selectors, evidence, part_named
from demo.learn.lessons.facts import LessonState
from demo.learn.lessons.histogram import prediction_of
from demo.learn.lessons.lesson import Lesson, LessonStep, Prediction, text_of
from demo.learn.lessons.states import LessonStateError, States
from demo.learn.lessons.terms import TermError, fill_in_terms, has_terms, value_of, value_text
from demo.server.page import answer_to
from demo.widgets.glossary.terms import TERMS
from demo.work.requests.checks import RequestError
from models.errors import brief as quoted_value

Answer: TypeAlias = "dict[str, Any]"
Fields: TypeAlias = "Mapping[str, Any]"  # a request
# The end of a sentence: Chinese puts no space after it, and a decimal point ends none.
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
QUESTION_MARKS = ("?", "？")
QUESTION_PARTS = ("rows", "columns", "factors", "keep")  # the parts of a picture that do not tell the answer


def on_lesson(data: Fields) -> Answer:
    """Return all texts of a lesson that need no decoding."""
    lesson = lesson_of(data)
    return {
        "id": lesson.id,
        "title": text_of(lesson.title),
        "minutes": lesson.minutes,
        "reading": text_of(lesson.reading),
        "steps": [_step_answer(step) for step in lesson.steps],
        "kit": _kit(lesson),
        "other_senses": "|".join(term.forms()[0] for term in TERMS if term.name in lesson.other_senses),
        "words": lazy_words("learn/dock"),
    }


def on_step(states: States, data: Fields) -> Answer:
    """Return the text of a step with its numbers, and the options of its prediction."""
    step = _step(data)
    state = states.state_of(step.state)
    return {"text": fill_in_terms(text_of(step.text), state), **question_parts(step.prediction, state)}


def on_reveal(states: States, data: Fields) -> Answer:
    """Return the model's answer to a prediction, and the sentence that explains it."""
    step = _step(data)
    prediction = prediction_of(step)
    state = states.state_of(step.state)
    text = fill_in_terms(text_of(step.reveal), state)
    return {**model_answer(prediction, state), "text": text, "evidence": evidence(step, state)}


def on_recap(states: States, data: Fields) -> Answer:
    """Return the questions of the steps called `names` with their answers.

    A reader asks for the steps that they have predicted, so no other answer is given away. Unknown names
    and steps without a question are left out.
    """
    lesson, value = lesson_of(data), data.get("names")
    names = value if isinstance(value, list) else []
    predicted = [step for step in lesson.steps if step.name in names and step.prediction is not None]
    return {"lines": [_line(states, step) for step in predicted]}


def on_quiz(states: States, data: Fields) -> Answer:
    """Return the items of a lesson's exit quiz, with their answers, for the dock to show after a choice.

    Items about a checkpoint that this page lacks are left out.
    """
    lesson = lesson_of(data)
    kit = kit_of(lesson.id)
    links = {step.name: step.state for step in lesson.steps}
    items = []
    for item in kit.items if kit else ():
        with suppress(TermError, LessonStateError):
            state = states.state_of(links[item.step]) if item.step else LessonState()
            items.append(_item(item, state))
    return {"items": items}


def on_paired(data: Fields) -> Answer:
    """Return the questions of the test `before` or `after` the course, with the places of right answers."""
    is_after = data.get("which") == "after"
    questions = [(pair.lesson, pair.after if is_after else pair.before) for pair in pairs()]
    titles = {lesson.id: text_of(lesson.title) for lesson in lessons()}
    return {
        "items": [
            {**_item(item, LessonState()), "topic": topic, "title": titles[topic]}
            for topic, item in questions
        ],
        "words": lazy_words("learn/dock"),
    }


def model_answer(prediction: Prediction, state: LessonState) -> Answer:
    """Return the model's answer in the form of the reader's: an option's index, an order, a number, rows.

    Raises TermError if a fact is missing or no option is right.
    """
    if prediction.kind == "order":
        if prediction.options_fact:
            values = [float(-index) for index in range(len(value_of(prediction.options_fact, state)))]
        else:
            values = [value_of(option.term, state) for option in prediction.options]
        order = sorted(range(len(values)), key=lambda index: -values[index])
        return {"answer": order, "shown": [value_text(values[index]) for index in order]}
    if prediction.kind == "choose":
        if prediction.options_fact:
            right, values = value_of(prediction.answer, state), value_of(prediction.options_fact, state)
        else:
            right, values = True, [value_of(option.term, state) for option in prediction.options]
        if right not in values:
            raise TermError(prediction.answer, values)
        return {"answer": values.index(right)}
    result = drawn(prediction, state) if prediction.kind == "draw" else value_of(prediction.answer, state)
    return {"answer": result, **({"shown": value_text(result)} if prediction.kind == "number" else {})}


def drawn(prediction: Prediction, state: LessonState) -> Any:
    """Return what a drawing asks for: a fact, or the lines with a number, each sorted into a kind."""
    if prediction.answer:
        return value_of(prediction.answer, state)
    kinds = [text_of(option.text) for option in prediction.options if not option.term]
    lines = {text_of(option.text): option.term for option in prediction.options if option.term}
    right = [[float(term == str(index)) for index in range(1, len(kinds) + 1)] for term in lines.values()]
    return {"rows": [*lines], "columns": kinds, "values": right}


def question_parts(prediction: Prediction | None, state: LessonState) -> Answer:
    """Return the parts of a question that the model computes: options, or rows and columns of a drawing."""
    if prediction is None:
        return {}
    if prediction.kind == "draw":
        picture = drawn(prediction, state)
        return {name: part for name, part in picture.items() if name in QUESTION_PARTS}
    if prediction.options_fact:
        return {"options": value_of(prediction.options_fact, state)}
    return {}


def _kit(lesson: Lesson) -> Answer | None:
    """Return the notes for a teacher, and the earlier lesson that is recalled at the start."""
    kit = kit_of(lesson.id)
    if kit is None:
        return None
    titles = {other.id: text_of(other.title) for other in lessons()}
    return {
        "goal": text_of(kit.goal),
        "misconception": text_of(kit.misconception),
        "homework": text_of(kit.homework),
        "before": [titles[name] for name in kit.before],
        "recall": {"lesson": kit.recall, "title": titles[kit.recall]} if kit.recall else None,
    }


def _step_answer(step: LessonStep) -> Answer:
    prediction = step.prediction
    sent: Answer = {
        "name": step.name,
        "text": text_of(step.text),
        "opens": bool(step.link),
        "state": step.state,
        "done": step.done,
        "asks": has_terms(text_of(step.text))
        or bool(prediction and (prediction.options_fact or prediction.kind == "draw")),
    }
    if step.page_part:
        label, selectors = part_named(step.page_part)
        sent["part"] = {"name": step.page_part, "selectors": selectors, "label": say(label)}
    if prediction is not None:
        sent["veil"] = covered_selectors(step)
        sent["prediction"] = form_of(prediction)
    elif step.reveal:
        sent["reveal"] = text_of(step.reveal)
    return sent


def form_of(prediction: Prediction) -> Answer:
    """Return a question's form, as far as it needs no computing."""
    return {
        "kind": prediction.kind,
        "options": [text_of(option.text) for option in prediction.options],
        "low": prediction.low,
        "high": prediction.high,
        "resolution": prediction.resolution,
    }


def lesson_of(data: Fields) -> Lesson:
    """Return the lesson that a request names. Raises RequestError."""
    lesson = lesson_called(data.get("lesson"))
    if lesson is None:
        name = quoted_value(data.get("lesson"))
        raise RequestError("no_such_lesson", "There is no lesson {value}.", value=name)
    return lesson


def _step(data: Fields) -> LessonStep:
    lesson, number = lesson_of(data), data.get("step")
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(lesson.steps):
        raise RequestError(
            "no_such_lesson_step",
            "The lesson has {count} steps; there is no step {value}.",
            value=quoted_value(number),
            count=len(lesson.steps),
        )
    return lesson.steps[number - 1]


def _line(states: States, step: LessonStep) -> Answer:
    assert step.prediction is not None
    state = states.state_of(step.state)
    return {
        "name": step.name,
        "question": last_question(fill_in_terms(text_of(step.text), state)),
        "prediction": {**form_of(step.prediction), **question_parts(step.prediction, state)},
        **model_answer(step.prediction, state),
    }


def last_question(text: str) -> str:
    """Return the last sentence that asks; the whole text if none does."""
    sentences = [sentence.strip() for sentence in SENTENCE_END.split(text)]
    asking = [sentence for sentence in sentences if sentence.endswith(QUESTION_MARKS)]
    return asking[-1] if asking else text


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


def fields_of(data: object) -> Fields:
    """Return the fields of a request; none of one that has another form."""
    return data if isinstance(data, Mapping) else {}


def server_function(name: str, on: Callable[[Fields], Answer]) -> Callable[..., Awaitable[Answer]]:
    """Return a server function of this name; Gradio finds the request by its annotation."""

    async def answer(data: object, request: gr.Request) -> Answer:
        return await answer_to(request, lambda _: partial(on, fields_of(data)))

    answer.__name__ = name
    return answer
