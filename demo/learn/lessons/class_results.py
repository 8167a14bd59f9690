"""The results of a class as CSV: for each question how often each answer was given, and which was right."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from demo.i18n.display import number_text, short_text
from demo.learn.classroom import Classrooms
from demo.learn.lessons import lesson_called
from demo.learn.lessons.answers import Answer, question_parts
from demo.learn.lessons.class_answers import text_argument
from demo.learn.lessons.histogram import bin_of, bins, count_guesses, drawn_counts, fold, typed_counts
from demo.learn.lessons.lesson import Lesson, LessonStep, Prediction, text_of
from demo.learn.lessons.outcomes import States, model_answer
from demo.learn.lessons.terms import fill_in_terms

COLUMNS = ("lesson", "step", "question", "answer", "count", "right")
FORMULA = ("=", "+", "-", "@", "\t")  # a spreadsheet computes a cell that begins so, whoever typed it
Row = tuple[str, int, str]  # answer, count, and whether it is right: yes, no, or empty for a curve


def on_results(classes: Classrooms, states: States, data: object) -> Answer:
    """Return the results of a class as `csv`, for its teacher. Raises RequestError for another key."""
    result = classes.led_by(text_argument(data, "class"), text_argument(data, "key"))
    lesson = lesson_called(result.lesson)
    assert lesson is not None
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows(_rows(lesson, result.guesses, states))
    return {"csv": out.getvalue()}


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
        words = {fold(right["columns"][0])}
        return [
            _row(item["text"], item["count"], fold(item["text"]) in words) for item in typed_counts(guesses)
        ]
    if prediction.kind == "number":
        names = [_bin_text(first, last) for first, last in bins(prediction)]
        right_index = bin_of(prediction, right)
    else:
        names = question_parts(prediction, state).get("options") or list(map(text_of, _texts(prediction)))
        right_index = right[0] if prediction.kind == "order" else right
    counts = count_guesses(prediction, guesses)
    names = [*names, *(str(index + 1) for index in range(len(names), len(counts)))]
    return [_row(names[index], count, index == right_index) for index, count in enumerate(counts)]


def _positions(prediction: Prediction, guesses: Sequence[Any], picture: Mapping[str, Any]) -> list[Row]:
    """Return the class's drawing at each position: a cell of an alignment, or the median of a curve."""
    columns, values, rows = picture["columns"], picture["values"], picture.get("rows")
    result: list[Row] = []
    for index, item in enumerate(drawn_counts(prediction, guesses)[: len(values)]):
        value, count = item["value"], int(item["count"])
        if not rows:
            text = f"{columns[index]}: {number_text(value, 1)} ({number_text(values[index], 1)})"
            result.append((text, count, ""))
        elif value < len(columns):
            strongest = values[index].index(max(values[index]))
            result.append(_row(f"{rows[index]} → {columns[int(value)]}", count, value == strongest))
    return result


def _texts(prediction: Prediction) -> list[Mapping[str, str]]:
    return [option.text for option in prediction.options]


def _row(answer: str, count: int, right: bool) -> Row:
    return answer, count, "yes" if right else "no"


def _bin_text(first: float, last: float) -> str:
    return " – ".join(short_text(value, 6) for value in dict.fromkeys((first, last)))


def harmless(text: str) -> str:
    """Return a text in a form that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text
