"""Laws of all lessons, checked against real decodings in the languages of the page.

A retrained checkpoint cannot make a text false unnoticed: `:::expect` states what the text claims.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from demo.i18n import LANGUAGES, complete_languages, in_language
from demo.learn.lessons import lessons, questions
from demo.learn.lessons.answers import model_answer, on_lesson, on_reveal, on_step
from demo.learn.lessons.evidence import covered_selectors, part_named
from demo.learn.lessons.lesson import Expectation, Lesson, LessonStep
from demo.learn.lessons.states import States
from demo.learn.lessons.terms import BRACES, fill_in_terms, value_of
from demo.learn.views import on_course, question
from tests.demo.learn.lessons.claims import split
from tests.demo.learn.lessons.duration import minutes_of
from tests.demo.learn.lessons.sample import QUICK
from tests.grids import named

LESSONS = (*lessons(), questions())
MAX_MINUTES = 10
MAX_SENTENCES, MAX_CHARACTERS = 4, 420  # in the English text of a step
every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)


@every_lesson
def test_a_lesson_is_short_and_names_parts_of_the_page(lesson: Lesson) -> None:
    if lesson is not questions():
        _check_course(lesson)
    for step in lesson.steps:
        if step.page_part:
            assert all(part_named(step.page_part))
        assert covered_selectors(step)  # knows the parts that it shows
        english = step.text["en"]
        assert len(english) <= MAX_CHARACTERS
        assert sum(english.count(end) for end in (". ", "? ", "! ")) < MAX_SENTENCES


def _check_course(lesson: Lesson) -> None:
    assert 3 <= len(lesson.steps) <= 9
    assert abs(lesson.minutes - minutes_of(lesson)) <= 1
    assert lesson.minutes <= MAX_MINUTES
    assert any(step.prediction for step in lesson.steps)
    assert lesson.steps[-1].done, "a lesson ends with something to make"


@pytest.mark.parametrize("code", complete_languages())
def test_each_question_opens_its_own_state_and_its_claim_holds_there(code: str) -> None:
    steps = questions().steps
    with in_language(code):
        request = [question(step) for step in steps]
        assert on_course({})["questions"] == request
    assert len({*request}) == len({step.link for step in steps}) == len(steps)
    for step, text in zip(steps, request, strict=True):
        assert step.link, "a click opens it"
        assert step.expected, "a claim that nobody checks"
        assert BRACES.findall(text) == [], "the list shows it without its numbers"


@pytest.mark.slow
@pytest.mark.parametrize("lesson", named({lesson.id: lesson for lesson in LESSONS}, (*QUICK, "questions")))
def test_every_state_of_a_lesson_opens_and_meets_its_expectations(lesson: Lesson, states: States) -> None:
    for number, step in enumerate(lesson.steps, 1):
        state = states.state_of_step(step)  # refuses a link with any fault
        false = [item for item in step.expected if value_of(item.condition, state) is not True]
        assert not false, "\n".join(_failure(lesson, step, item) for item in false)
        for text in (step.text, step.reveal):
            for code in LANGUAGES:
                assert "{" not in fill_in_terms(text.get(code, ""), state)
                assert BRACES.findall(text.get(code, "")) == [] or code in text
            assert len({tuple(sorted(BRACES.findall(item))) for item in text.values()}) <= 1
        request = {"lesson": lesson.id, "step": number}
        on_step(states, request)
        if step.prediction is not None:
            _check_answer(step, on_reveal(states, request), states)


def _failure(lesson: Lesson, step: LessonStep, expectation: Expectation) -> str:
    """Return the sentence that is false now, and the condition that shows it."""
    sentence = next(
        (
            sentence
            for text in (step.text, step.reveal)
            for sentence in split(text.get("en", ""))
            if expectation.excerpt and expectation.excerpt in sentence
        ),
        step.reveal.get("en", "") or step.text["en"],
    )
    return f"{lesson.id}/{step.name}, line {step.line}: {sentence!r} is false: {expectation.condition}"


def _check_answer(step: LessonStep, answer: dict[str, Any], states: States) -> None:
    prediction = step.prediction
    assert prediction is not None
    state = states.state_of(step.state)
    assert answer["text"]
    if prediction.kind == "choose" and prediction.options:
        right = [value_of(option.term, state) for option in prediction.options]
        assert right.count(True) == 1, f"line {step.line}: one option must hold, and no other"
    elif prediction.kind == "number":
        assert prediction.low <= answer["answer"] <= prediction.high
    elif prediction.kind == "order":
        values = [value_of(option.term, state) for option in prediction.options]
        assert len(set(values)) == len(values), f"line {step.line}: two lines have one place"
    elif prediction.options:
        _check_sorting(step, answer["answer"])
    assert model_answer(prediction, state)["answer"] == answer["answer"]


def _check_sorting(step: LessonStep, drawn: dict[str, Any]) -> None:
    """Each output has one kind, and an expectation holds the model to it word by word."""
    conditions = " ".join(expectation.condition for expectation in step.expected)
    for row, places in zip(drawn["rows"], drawn["values"], strict=True):
        source, output, right = row.split(" → ")
        assert places.count(1.0) == 1, f"line {step.line}: {output}"
        assert f'output == "{output}"' in conditions
        assert quote(source) in " ".join((step.state, *step.contrasts.values()))
        assert right


def test_every_lesson_is_sent_in_all_complete_languages() -> None:
    for lesson in LESSONS:
        sent = on_lesson({"lesson": lesson.id})
        assert [sent_step["name"] for sent_step in sent["steps"]] == [step.name for step in lesson.steps]
        for step in lesson.steps:
            for text in (step.text, step.reveal, *(option.text for option in _options(step))):
                assert not text or {*complete_languages()} <= text.keys() <= LANGUAGES.keys()
                assert len(set(text.values())) == len(text) or len(text.get("en", "").split()) < 4


def _options(step: LessonStep) -> Any:
    return step.prediction.options if step.prediction else ()
