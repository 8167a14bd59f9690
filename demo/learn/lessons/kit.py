"""The teacher's kit: what a lesson is for, what it builds on, and questions that show what pupils learnt.

Each lesson has a file in `kit/`, and `paired.md` has the questions of the test before and after the course.
docs/lessons.md tells what each line means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from demo.learn.lessons.lesson import Prediction, Text
from demo.learn.lessons.reading import (
    Block,
    LessonFormError,
    blocks_of,
    groups_of,
    head_of,
    in_languages,
    paragraphs,
    prediction_of,
)

KIT = Path(__file__).parent / "kit"
PAIRED = Path(__file__).with_name("paired.md")
HEAD = ("goal", "misconception", "homework")


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
    if missing := set(HEAD) - head.keys():
        raise LessonFormError(f"line 1: the header lacks {', '.join(sorted(missing))}")
    goal, misconception, homework = (in_languages(head[name], 1) for name in HEAD)
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
