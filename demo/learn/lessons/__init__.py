"""The lessons of the course, each a Markdown file in `course/`. A new one needs no entry in a list.

The teacher's kit says what a lesson is for and what it builds on, and has questions that show what pupils
learnt: each lesson has a file in `kit/`, and `paired.md` has the test before and after the course.
docs/lessons.md tells what each line means.

In an address `?lesson=bottleneck&step=3` stands for the state that this step opens, and
`?lesson=bottleneck:3&tab=decode&text=hola` for the step with a state that the reader has changed.
`?class=K7QF3M` is short enough to type: it names the lesson of that class, at its teacher's step.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from demo.i18n import message_text, say
from demo.learn.classroom import Classrooms
from demo.learn.lessons.lesson import CHAPTERS, Lesson, Prediction, Text
from demo.learn.lessons.reading import (
    Block,
    LessonFormError,
    blocks_of,
    groups_of,
    head_of,
    in_languages,
    paragraphs,
    prediction_of,
    read_lesson,
)
from demo.work.requests.checks import RequestError
from models.errors import brief

COURSE = Path(__file__).parent / "course"
QUESTIONS = Path(__file__).with_name("questions.md")
KIT = Path(__file__).parent / "kit"
PAIRED = Path(__file__).with_name("paired.md")
KIT_HEAD = ("goal", "misconception", "homework")
KEPT_PARAMETERS = ("hide",)  # parameters of an address that hold beside those of a state
TESTS = ("pretest", "posttest")  # the tests around the course, which the dock shows as it shows a lesson
CLASS_NAME = re.compile(r"[\w-]{1,40}")
Items = Sequence[tuple[str, str]]


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return all lessons, chapter by chapter. Raises LessonFormError, which a test finds first."""
    result = [read_lesson(path.stem, path.read_text(encoding="utf-8")) for path in COURSE.glob("*.md")]
    chapters = list(CHAPTERS)
    return tuple(sorted(result, key=lambda lesson: (chapters.index(lesson.chapter), lesson.position)))


@cache
def questions() -> Lesson:
    """Return the questions of a classroom: each step opens the page that shows its answer.

    It has the form of a lesson and is no part of the course. Raises LessonFormError.
    """
    return read_lesson(QUESTIONS.stem, QUESTIONS.read_text(encoding="utf-8"))


def lesson_called(name: object) -> Lesson | None:
    """Return the lesson with an id, or None."""
    return next((lesson for lesson in (*lessons(), questions()) if lesson.id == name), None)


@dataclass(frozen=True)
class QuizItem:
    """A question with options, one of which is right. It needs no state of the page."""

    name: str
    text: Text
    prediction: Prediction
    explanation: Text
    step: str = ""  # the step of the lesson whose state the facts of the options describe
    source: str = ""  # the publication that supports a general answer


@dataclass(frozen=True)
class Kit:
    """The material that a teacher needs for one lesson."""

    goal: Text
    misconception: Text
    homework: Text
    misconception_source: str = ""  # its refutation: a publication, or `step NAME` of the lesson
    before: Sequence[str] = ()  # ids of the lessons that it builds on
    introduces: Sequence[str] = ()  # terms of the glossary that no earlier lesson uses
    recall: str = ""  # the id of an earlier lesson, one question of which is asked at the start
    items: Sequence[QuizItem] = field(default_factory=tuple)


@dataclass(frozen=True)
class QuestionPair:
    """Two questions on one topic: one before the course, one after it."""

    lesson: str  # the id of the lesson that teaches the topic
    before: QuizItem
    after: QuizItem


@cache
def kit_of(lesson: str) -> Kit | None:
    """Return the kit of a lesson, None if it has none. Raises LessonFormError, which a test finds first."""
    file = KIT / f"{lesson}.md"
    return read_kit(file.read_text(encoding="utf-8")) if file.is_file() else None


@cache
def pairs() -> tuple[QuestionPair, ...]:
    """Return the pairs of the test. Raises LessonFormError, which a test finds first."""
    blocks = blocks_of(PAIRED.read_text(encoding="utf-8").splitlines(), 0)
    named = {item.name: item for item in map(_item, groups_of("item", blocks))}
    topics = dict.fromkeys(name.rpartition("-")[0] for name in named)
    return tuple(QuestionPair(topic, named[f"{topic}-before"], named[f"{topic}-after"]) for topic in topics)


def read_kit(text: str) -> Kit:
    """Return the kit that a file describes. Raises LessonFormError."""
    head, start = head_of(text.splitlines())
    if missing := set(KIT_HEAD) - head.keys():
        raise LessonFormError(f"line 1: the header lacks {', '.join(sorted(missing))}")
    goal, misconception, homework = (in_languages(head[name], 1) for name in KIT_HEAD)
    lists = (head.get(name, "").split(",") for name in ("before", "introduces"))
    before, introduces = (tuple(filter(None, map(str.strip, names))) for names in lists)
    source, recall = head.get("misconception_source", ""), head.get("recall", "")
    items = tuple(map(_item, groups_of("item", blocks_of(text.splitlines()[start:], start))))
    return Kit(goal, misconception, homework, source, before, introduces, recall, items)


def _item(blocks: Sequence[Block]) -> QuizItem:
    first = blocks[0]
    named = {block.kind: block for block in blocks[1:]}
    if len(first.words) != 1 or first.named.keys() - {"at"} or not {"predict", "reveal"} <= named.keys():
        raise first.fault("an item has a name, may have at=, and needs a predict and a reveal")
    prediction = prediction_of(named["predict"])
    step = first.named.get("at", "")
    source = named["source"].rest if "source" in named else ""
    if prediction.kind != "choose" or not prediction.options:
        raise first.fault("an item offers options to choose from")
    if not step and not source:
        raise first.fault("an item needs a source, or a step by at= whose facts hold its answer")
    return QuizItem(first.words[0], paragraphs(first), prediction, paragraphs(named["reveal"]), step, source)


def opened_lesson(classes: Classrooms, items: Items) -> tuple[dict[str, Any] | None, Items, list[str]]:
    """Return an address's lesson and step, the state that this step opens, and the address's faults.

    An address without a lesson is returned unchanged.
    """
    named = dict(reversed(list(items)))
    others = [(name, value) for name, value in items if name in KEPT_PARAMETERS or name.startswith("__")]
    if "class" in named and "lesson" not in named:
        try:
            joined, *_ = classes.find(named["class"])
        except RequestError as error:
            return None, [("tab", "learn"), *others], [message_text(error)]
        named |= {"lesson": joined.lesson, "step": str(joined.step), "class": joined.id}
    if "lesson" not in named:
        return None, items, []
    name, is_changed, changed_at = named["lesson"].partition(":")
    if name in TESTS:
        return {"lesson": name, "step": 1}, [("tab", "learn"), *others], []
    lesson = lesson_called(name)
    if lesson is None:
        names = [lesson.id for lesson in lessons()]
        close = difflib.get_close_matches(name[:40], names, n=1)
        name_given = brief(name)
        message = (
            say("There is no lesson {value}; did you mean {close}?", value=name_given, close=close[0])
            if close
            else say("There is no lesson {value}. The Learn tab lists them all.", value=name_given)
        )
        return None, [("tab", "learn"), *others], [message]
    digits = changed_at if is_changed else named.get("step", "")
    number = int(digits) if re.fullmatch(r"\d{1,3}", digits) else 1
    number = min(max(number, 1), len(lesson.steps))
    opened: dict[str, Any] = {"lesson": lesson.id, "step": number}
    if CLASS_NAME.fullmatch(named.get("class", "")):
        opened["class"] = named["class"]
    if is_changed:
        return opened, [(name, value) for name, value in items if name not in ("lesson", "class")], []
    state = parse_qsl(lesson.steps[number - 1].state, keep_blank_values=True)
    return opened, [*state, *others], []
