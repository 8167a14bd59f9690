"""The minutes that a lesson takes, from its words and from what its reader does."""

from __future__ import annotations

from demo.i18n import ENGLISH
from demo.learn.lessons.lesson import Lesson, LessonStep

WORDS_PER_MINUTE = 130  # read with thought
PREDICTION = 0.2  # minutes to look at the page and decide
DRAWING = 0.6  # minutes to draw a curve, or to mark a cell for each token
TASK = 0.6  # minutes to change something on the page and look at the result
OPENING = 0.1  # minutes until another state of the page is shown and found


def minutes_of(lesson: Lesson) -> float:
    """Return the minutes that a lesson takes."""
    return sum(map(_minutes, lesson.steps))


def _minutes(step: LessonStep) -> float:
    prediction = step.prediction
    options = prediction.options if prediction else ()
    texts = (step.text, step.reveal, *(option.text for option in options))
    words = sum(len(text.get(ENGLISH, "").split()) for text in texts)
    answer = 0.0 if prediction is None else DRAWING if prediction.kind == "draw" else PREDICTION
    return words / WORDS_PER_MINUTE + answer + TASK * bool(step.done) + OPENING * bool(step.link)
