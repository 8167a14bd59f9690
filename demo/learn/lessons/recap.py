"""The end of a lesson: the questions that a reader has answered, each with the model's answer."""

from __future__ import annotations

import re
from collections.abc import Mapping

from demo.learn.lessons.answers import Answer, form_of, lesson_of, question_parts
from demo.learn.lessons.lesson import LessonStep, text_of
from demo.learn.lessons.outcomes import States, model_answer
from demo.learn.lessons.terms import fill_in_terms

# The end of a sentence: Chinese puts no space after it, and a decimal point ends none.
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
QUESTION_MARKS = ("?", "？")


def on_recap(states: States, data: object) -> Answer:
    """Return the questions of the steps called `names` with their answers.

    A reader asks for the steps that they have predicted, so no other answer is given away. Unknown names
    and steps without a question are left out.
    """
    lesson = lesson_of(data)
    assert isinstance(data, Mapping)
    value = data.get("names")
    names = value if isinstance(value, list) else []
    return {
        "lines": [
            _line(states, step) for step in lesson.steps if step.name in names and step.prediction is not None
        ]
    }


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
