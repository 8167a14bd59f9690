"""Server functions for a class: open it, predict in it, lead it, show how it stands, save its results."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from demo.i18n.display import number_text, short_text
from demo.learn.classroom import Classrooms
from demo.learn.lessons import histogram, lesson_called
from demo.learn.lessons.answers import Answer, Fields, model_answer, question_parts
from demo.learn.lessons.lesson import Lesson, LessonStep, Prediction, text_of
from demo.learn.lessons.states import States
from demo.learn.lessons.terms import fill_in_terms
from demo.work.requests.checks import RequestError

MAX_CHARACTERS = 80  # the most characters of the name of a class or a pupil, or of a key
COLUMNS = ("lesson", "step", "question", "answer", "count", "right")
FORMULA = ("=", "+", "-", "@", "\t")  # a spreadsheet computes a cell that begins so, whoever typed it
Row = tuple[str, int, str]  # answer, count, and whether it is right: yes, no, or empty for a curve


def on_open(classes: Classrooms, data: Fields) -> Answer:
    """Open a class for a lesson and return it with the teacher's key."""
    lesson = lesson_called(text_argument(data, "lesson"))
    if lesson is None:
        raise RequestError("class_without_lesson", "A class needs a lesson. Open one, then open the class.")
    opened = classes.open(lesson.id, _step_of(lesson, data.get("step", 1)))
    return {"class": opened.id, "key": opened.key}


def on_predict(classes: Classrooms, data: Fields) -> Answer:
    """Accept a pupil's prediction."""
    lesson, number = _lesson_and_step(classes, data)
    guess = histogram.checked_guess(histogram.prediction_of(lesson.steps[number - 1]), data.get("guess"))
    classes.predict(text_argument(data, "class"), text_argument(data, "pupil"), number, guess)
    return {}


def on_lead(classes: Classrooms, data: Fields) -> Answer:
    """Move the class to the teacher's step, revealed or not, and return its state."""
    _, number = _lesson_and_step(classes, data)
    name, key = text_argument(data, "class"), text_argument(data, "key")
    classes.lead(name, key, number, reveal=data.get("reveal") is True)
    return on_class_state(classes, data)


def on_class_state(classes: Classrooms, data: Fields) -> Answer:
    """Return the state of a class at a step: how many pupils are present, and how many have predicted.

    A summary of their predictions follows once the step is revealed; with the teacher's key it comes before.
    A request without the key may name a pupil, who then counts as present.
    """
    lesson, number = _lesson_and_step(classes, data)
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
        answer |= histogram.of_class(prediction, guesses)
    return answer


def on_results(classes: Classrooms, states: States, data: Fields) -> Answer:
    """Return the results of a class as `csv`, for its teacher. Raises RequestError for another key."""
    result = classes.led_by(text_argument(data, "class"), text_argument(data, "key"))
    lesson = lesson_called(result.lesson)
    assert lesson is not None
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows(_rows(lesson, result.guesses, states))
    return {"csv": out.getvalue()}


def _lesson_and_step(classes: Classrooms, data: Fields) -> tuple[Lesson, int]:
    """The lesson of a class, and the requested step. Raises RequestError."""
    result, *_ = classes.find(text_argument(data, "class"))
    lesson = lesson_called(result.lesson)
    assert lesson is not None
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


def text_argument(data: Fields, name: str) -> str:
    """Return a short text of a request. Raises RequestError."""
    value = data.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= MAX_CHARACTERS:
        raise RequestError(
            "class_question_incomplete", "A request about a class must include its {name}.", name=name
        )
    return value


def _rows(lesson: Lesson, guesses: Mapping[int, Mapping[str, Any]], states: States) -> Iterator[list[Any]]:
    for number, step in enumerate(lesson.steps, 1):
        if step.prediction is None or not guesses.get(number):
            continue
        question = fill_in_terms(text_of(step.text), states.state_of(step.state))
        for answer, count, right in _answers(step, list(guesses[number].values()), states):
            yield [lesson.id, number, question, harmless(answer), count, right]


def _answers(step: LessonStep, guesses: Sequence[Any], states: States) -> list[Row]:
    """Return the answers to one question in the order in which the page draws them."""
    prediction, state = step.prediction, states.state_of(step.state)
    assert prediction is not None
    right = model_answer(prediction, state)["answer"]
    if prediction.kind == "draw":
        return _positions(prediction, guesses, right)
    if prediction.kind == "type":
        words = {histogram.fold(right["columns"][0])}
        return [
            _row(item["text"], item["count"], histogram.fold(item["text"]) in words)
            for item in histogram.typed_counts(guesses)
        ]
    if prediction.kind == "number":
        names = [_bin_text(first, last) for first, last in histogram.bins(prediction)]
        right_index = histogram.bin_of(prediction, right)
    else:
        names = question_parts(prediction, state).get("options") or [
            text_of(option.text) for option in prediction.options
        ]
        right_index = right[0] if prediction.kind == "order" else right
    counts = histogram.count_guesses(prediction, guesses)
    names = [*names, *(str(index + 1) for index in range(len(names), len(counts)))]
    return [_row(names[index], count, index == right_index) for index, count in enumerate(counts)]


def _positions(prediction: Prediction, guesses: Sequence[Any], picture: Mapping[str, Any]) -> list[Row]:
    """Return the class's drawing at each position: a cell of an alignment, or the median of a curve."""
    columns, values, rows = picture["columns"], picture["values"], picture.get("rows")
    result: list[Row] = []
    for index, item in enumerate(histogram.drawn_counts(prediction, guesses)[: len(values)]):
        value, count = item["value"], int(item["count"])
        if not rows:
            text = f"{columns[index]}: {number_text(value, 1)} ({number_text(values[index], 1)})"
            result.append((text, count, ""))
        elif value < len(columns):
            strongest = values[index].index(max(values[index]))
            result.append(_row(f"{rows[index]} → {columns[int(value)]}", count, value == strongest))
    return result


def _row(answer: str, count: int, right: bool) -> Row:
    return answer, count, "yes" if right else "no"


def _bin_text(first: float, last: float) -> str:
    return " – ".join(short_text(value, 6) for value in dict.fromkeys((first, last)))


def harmless(text: str) -> str:
    """Return a text in a form that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text
