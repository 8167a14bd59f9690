"""Neither a question nor an earlier step of a lesson reveals the answer to a prediction."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from demo.learn.lessons import lessons
from demo.learn.lessons.facts import LessonState
from demo.learn.lessons.lesson import Lesson, LessonStep
from demo.learn.lessons.states import state_with_content
from demo.learn.lessons.terms import value_of
from demo.widgets.glossary.terms import TERMS
from demo.work.context import AppContext
from tests.demo.learn.lessons.sample import QUICK
from tests.demo.learn.lessons.told_values import MIN_COUNT, facts_of, question_of, right_option, says, telling
from tests.demo.learn.lessons.uncovered_page import UncoveredPage, facts_to_know
from tests.grids import named

# By lesson and step, with the reason.
EXCEPTIONS = {
    "beam/wider": "Both sentences are known; it asks which of them the wider beam writes.",
    "greedy/tree": "The sentence is known; it asks for its rank in the beam.",
    "heads/white": "Two heads look ahead; it asks which of them is needed.",
    "heads/house": "By chance another token has the same percentage.",
    "kernels/dot": "By chance the weights of other keys are 100%, too.",
    "gates/forget": "By chance it equals a correlation.",
    "bleu/clipped": "By chance 2 of 7 n-grams match in an earlier output.",
}
YES_OR_NO = ("yes", "no")
MIN_LETTERS = 4  # of a word that says something
MIN_TOLD = 3  # such words that only the right option has; a meaning with half of them tells it


@pytest.mark.slow
@pytest.mark.parametrize("lesson", named({lesson.id: lesson for lesson in lessons()}, QUICK))
def test_no_earlier_step_shows_an_answer(lesson: Lesson, context: AppContext) -> None:
    earlier: list[UncoveredPage] = []
    problems: list[str] = []
    for step in lesson.steps:
        now = UncoveredPage(step, *state_with_content(context, step.state))
        if step.prediction is not None and f"{lesson.id}/{step.name}" not in EXCEPTIONS:
            problems += _told_before(now, earlier)
            problems += _in_question(step, now.state)
        earlier.append(now)
    assert not problems, "\n".join(problems)


def _told_before(now: UncoveredPage, earlier: Sequence[UncoveredPage]) -> list[str]:
    """The earlier steps that show all facts of an answer, and the answers in earlier texts and charts."""
    assert now.step.prediction is not None
    facts = facts_to_know(now.step, now.state)
    showing = [one.step.name for one in earlier if facts and all(one.shows_fact(fact, now) for fact in facts)]
    name = now.step.name
    return [
        *(f"{name}: {one} shows {', '.join(facts)}" for one in showing),
        *(f"{name}: {answer} was told" for answer in _answers_in(now.step, now.state, earlier)),
    ]


def _answers_in(step: LessonStep, state: LessonState, earlier: Sequence[UncoveredPage]) -> list[str]:
    """The answers that were told: a number, an option alone and its facts, or all but one of an order."""
    assert step.prediction is not None
    terms = [term for term, value in telling(step, state).items() if any(one.says(value) for one in earlier)]
    options = step.prediction.options
    if step.prediction.kind == "order" and options:
        return terms if len(terms) >= len(options) - 1 else []
    if step.prediction.kind != "choose":
        return terms
    texts, right = right_option(step, state)
    words = {text: text.split(",")[0].lower() for text in texts}
    dock = " ".join(text for one in earlier for text in one.dock()).lower()
    named = [text for text, word in words.items() if word not in YES_OR_NO and says(dock, word)]
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


@pytest.mark.slow
@pytest.mark.parametrize("lesson", named({lesson.id: lesson for lesson in lessons()}, (*QUICK, "rnn")))
def test_no_meaning_of_a_term_in_a_question_tells_its_answer(lesson: Lesson, context: AppContext) -> None:
    problems = []
    for step in lesson.steps:
        if step.prediction is None or step.prediction.kind != "choose" or not step.prediction.options:
            continue
        state, _ = state_with_content(context, step.state)
        options, right = right_option(step, state)
        question = question_of(step, state).lower()
        meanings = [
            term.meaning for term in TERMS if any(says(question, form.lower()) for form in term.forms())
        ]
        problems += [f"{step.name}: {meaning}" for meaning in meanings if _tells(meaning, options, right)]
    assert problems == []


def test_a_meaning_with_half_of_the_words_of_the_right_option_tells_it() -> None:
    options = ["About 9,000: all copies use the same ones", "About 300,000: each has its own"]
    assert _tells("All copies share the same weights.", options, 0)
    assert not _tells("The copies stand side by side.", options, 0)


def _tells(meaning: str, options: Sequence[str], right: int) -> bool:
    """Whether a meaning has half of the words by which the right option differs from the others."""
    others = {word for index, text in enumerate(options) if index != right for word in _words(text)}
    distinct = _words(options[right]) - others
    return len(distinct) >= MIN_TOLD and 2 * len(distinct & _words(meaning)) >= len(distinct)


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W\d_]+", text.lower()) if len(word) >= MIN_LETTERS}
