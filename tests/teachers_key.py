"""The teacher's key in `docs/`: ready paths, and each lesson's kit with the shipped checkpoints' answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from demo.learn.lessons import Kit, QuizItem, kit_of, lessons
from demo.learn.lessons.answers import last_question, model_answer, question_parts
from demo.learn.lessons.facts import LessonState
from demo.learn.lessons.lesson import CHAPTERS, Lesson, LessonStep, Prediction, text_of
from demo.learn.lessons.states import States
from demo.learn.lessons.terms import fill_in_terms
from demo.work.context import AppContext
from models.registry.registry import Registry
from tests.documents import ROOT

PRETEST, POSTTEST, QUIZ, TALK = "test before", "test after", "exit quiz", "talk"
LINKS = {PRETEST: "`?lesson=pretest`", POSTTEST: "`?lesson=posttest`"}
# What a class does, with its minutes; a lesson by its id. A class takes longer than a reader alone.
CLASSES: Mapping[int, tuple[tuple[str, int], ...]] = {
    45: (("tour", 9), ("greedy", 27), (QUIZ, 5), (TALK, 4)),
    90: (("tour", 9), ("greedy", 25), ("bottleneck", 32), (QUIZ, 10), (TALK, 14)),
}
# Lessons in each week, in the order of the course: two hours of class, and one at home.
WEEKS = (4, 3, 4, 6, 5, 3)


def short_paths() -> str:
    """Return the plans of 45 and of 90 minutes."""
    rows = [
        f"| {length} | {' · '.join(f'{_part(part)} ({minutes} min)' for part, minutes in parts)} |"
        for length, parts in CLASSES.items()
    ]
    return "\n".join(["| minutes | plan |", "|---|---|", *rows])


def weeks() -> str:
    """Return the plan of six weeks; the minutes are those of a reader alone."""
    rows, course = [], iter(lessons())
    for number, count in enumerate(WEEKS, 1):
        taught = tuple(islice(course, count))
        tests = [[PRETEST] * (number == 1), [POSTTEST] * (number == len(WEEKS))]
        parts = [*tests[0], *(lesson.id for lesson in taught), *tests[1]]
        minutes = sum(lesson.minutes for lesson in taught)
        rows.append(f"| {number} | {' · '.join(map(_part, parts))} | {minutes} | `{taught[-1].id}` |")
    return "\n".join(["| week | lessons | minutes alone | homework of |", "|---|---|---|---|", *rows])


def course() -> str:
    """Return each lesson with its link, its minutes, its goal and what it builds on."""
    rows = []
    for lesson in lessons():
        kit = lesson_kit(lesson)
        before = ", ".join(f"`{name}`" for name in kit.before) or "–"
        cells = (CHAPTERS[lesson.chapter], _titled(lesson), str(lesson.minutes), text_of(kit.goal), before)
        rows.append(f"| {' | '.join(cells)} |")
    head = "| chapter | lesson | minutes | goal | builds on |"
    return "\n".join([head, "|---|---|---|---|---|", *rows])


@cache
def key() -> str:
    """Return for each lesson its kit and its answers, computed with the shipped checkpoints on the CPU."""
    states = States(AppContext(Registry(Path(ROOT) / "checkpoints"), "cpu"))
    return "\n\n".join("\n".join(_lesson(lesson, states)) for lesson in lessons())


def _lesson(lesson: Lesson, states: States) -> Iterator[str]:
    kit = lesson_kit(lesson)
    yield f"### {text_of(lesson.title)}"
    yield f"\n`?lesson={lesson.id}` · {lesson.minutes} min alone\n"
    if kit.before:
        yield f"- **Builds on**: {', '.join(f'`{name}`' for name in kit.before)}"
    yield f"- **Goal**: {text_of(kit.goal)}"
    if kit.introduces:
        yield f"- **New words**: {', '.join(kit.introduces)}"
    yield f"- **A misconception**: {text_of(kit.misconception)} ({kit.misconception_source})"
    yield f"- **Homework**: {text_of(kit.homework)}\n"
    yield "| step | question | answer | why |\n|---|---|---|---|"
    for number, step in enumerate(lesson.steps, 1):
        if step.prediction is not None:
            yield _row(number, step, step.prediction, states.state_of(step.state))
    yield "\nExit quiz:\n"
    for item in kit.items:
        yield _quiz(item, _state(lesson, item, states))


def _row(number: int, step: LessonStep, prediction: Prediction, state: LessonState) -> str:
    question, why = (fill_in_terms(text_of(text), state) for text in (step.text, step.reveal))
    cells = (str(number), last_question(question), _answer(prediction, state), why)
    return f"| {' | '.join(cell.replace('|', '∣') for cell in cells)} |"


def _answer(prediction: Prediction, state: LessonState) -> str:
    result = model_answer(prediction, state)
    answer: Any = result["answer"]
    options = question_parts(prediction, state).get("options") or [
        text_of(option.text) for option in prediction.options
    ]
    if prediction.kind == "choose":
        return str(options[answer])
    if prediction.kind == "order":
        return " > ".join(
            f"{options[index]} ({text})" for index, text in zip(answer, result["shown"], strict=True)
        )
    if prediction.kind == "number":
        return str(result["shown"])
    if prediction.kind == "type":
        return str(answer["columns"][0])
    columns = answer["columns"]
    if rows := answer.get("rows"):
        places = [values.index(max(values)) for values in answer["values"]]
        return ", ".join(f"{row} → {columns[index]}" for row, index in zip(rows, places, strict=True))
    return ", ".join(
        f"{column}: {value:.0f}" for column, value in zip(columns, answer["values"], strict=True)
    )


def _quiz(item: QuizItem, state: LessonState) -> str:
    options = [text_of(option.text) for option in item.prediction.options]
    answer = options[model_answer(item.prediction, state)["answer"]]
    question, why = (fill_in_terms(text_of(text), state) for text in (item.text, item.explanation))
    source = f" ({item.source})" if item.source else ""
    return f"- {question} **{answer}**. {why}{source}"


def _state(lesson: Lesson, item: QuizItem, states: States) -> LessonState:
    if not item.step:
        return LessonState()
    return states.state_of(next(step.state for step in lesson.steps if step.name == item.step))


def lesson_kit(lesson: Lesson) -> Kit:
    """Return the kit of a lesson, which a test holds every lesson to have."""
    kit = kit_of(lesson.id)
    assert kit is not None, f"{lesson.id} has no kit"
    return kit


def _titled(lesson: Lesson) -> str:
    return f"{text_of(lesson.title)} (`?lesson={lesson.id}`)"


def _part(name: str) -> str:
    by_id = {lesson.id: lesson for lesson in lessons()}
    if name in by_id:
        return f"{text_of(by_id[name].title)} `?lesson={name}`"
    return f"{name} {LINKS[name]}" if name in LINKS else name
