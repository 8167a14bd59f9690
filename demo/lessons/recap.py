"""The end of a lesson: the questions that a reader has answered, each with the model's answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from demo.lessons.answers import Answer, form_of, lesson_of, offered
from demo.lessons.lesson import LessonStep, text_of
from demo.lessons.outcomes import States, answered
from demo.lessons.terms import filled

# The end of a sentence: Chinese puts no space after it, and a decimal point ends none.
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
QUESTION_MARKS = ("?", "？")


def on_recap(states: States, data: object) -> Answer:
    """Return the questions of the steps in `steps` with their answers.

    A reader asks for the steps that they have predicted, so no other answer is given away. Unknown numbers
    and steps without a question are left out.
    """
    lesson = lesson_of(data)
    assert isinstance(data, Mapping)
    numbers = data.get("steps")
    steps = numbers if isinstance(numbers, list) else []
    return {
        "lines": [
            _line(states, number, step)
            for number, step in enumerate(lesson.steps, 1)
            if number in steps and step.prediction is not None
        ]
    }


def _line(states: States, number: int, step: LessonStep) -> Answer:
    assert step.prediction is not None
    state = states.of(step.state)
    return {
        "step": number,
        "name": step.name,
        "question": last_question(filled(text_of(step.text), state)),
        "prediction": {**form_of(step.prediction), **offered(step.prediction, state)},
        **answered(step.prediction, state),
    }


def last_question(text: str) -> str:
    """Return the last sentence that asks; the whole text if none does."""
    sentences = [sentence.strip() for sentence in SENTENCE_END.split(text)]
    asking = [sentence for sentence in sentences if sentence.endswith(QUESTION_MARKS)]
    return asking[-1] if asking else text
