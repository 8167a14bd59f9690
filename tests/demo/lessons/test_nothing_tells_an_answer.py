"""Neither a question nor an earlier step of a lesson tells the answer to a prediction."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo.lessons import lessons
from demo.lessons.facts import LessonState
from demo.lessons.lesson import Lesson, LessonStep
from demo.lessons.outcomes import States
from demo.lessons.terms import filled, value_of
from demo.service.context import AppContext
from models.registry.registry import Registry
from tests.demo.lessons.told_values import (
    MIN_COUNT,
    facts_of,
    question_of,
    right_option,
    says,
    telling,
)
from tests.source_modules import ROOT

# Steps whose answer an earlier step names, with the reason.
BUILT_ON = {
    "heads/white": "Two heads look ahead; it asks which of them is needed.",
    "search/blame": "It asks what follows from two numbers on the page.",
}
YES_OR_NO = ("yes", "no")


@pytest.fixture(scope="module")
def states() -> States:
    return States(AppContext(Registry(Path(ROOT) / "checkpoints"), "cpu"))


@pytest.mark.slow
@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.id)
def test_no_earlier_step_tells_an_answer(lesson: Lesson, states: States) -> None:
    earlier: list[str] = []
    for step in lesson.steps:
        state = states.of(step.state)
        if step.prediction is not None and f"{lesson.id}/{step.name}" not in BUILT_ON:
            assert _answers_in(step, state, " ".join(earlier)) == [], step.name
            assert _in_question(step, state) == [], step.name
        earlier += [filled(text.get("en", ""), state) for text in (step.text, step.reveal)]


def _answers_in(step: LessonStep, state: LessonState, earlier: str) -> list[str]:
    """The answers in earlier texts: a number, an option alone and its facts, or all but one of an order."""
    assert step.prediction is not None
    terms = [term for term, value in telling(step, state).items() if says(earlier, value)]
    options = step.prediction.options
    if step.prediction.kind == "order" and options:
        return terms if len(terms) >= len(options) - 1 else []
    if step.prediction.kind != "choose":
        return terms
    texts, right = right_option(step, state)
    words = {text: text.split(",")[0].lower() for text in texts}
    named = [text for text, word in words.items() if word not in YES_OR_NO and says(earlier.lower(), word)]
    facts = list(facts_of(options[right].term)) if options else []
    return (named if named == [texts[right]] else []) + (terms if terms and {*facts} <= {*terms} else [])


def _in_question(step: LessonStep, state: LessonState) -> list[str]:
    """The answer, if its own question contains it as a number of at least two digits."""
    assert step.prediction is not None
    if step.prediction.kind != "number":
        return []
    answer = value_of(step.prediction.answer, state)
    is_named = abs(answer) >= MIN_COUNT and says(question_of(step, state), answer)
    return [f"the question names {answer}"] if is_named else []
