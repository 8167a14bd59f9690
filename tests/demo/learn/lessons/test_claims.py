"""Sentences that claim a cause, a trend or a comparison are held by an expectation or by the literature."""

from __future__ import annotations

import re

import pytest

from demo.learn.lessons import lessons
from demo.learn.lessons.lesson import Lesson, Text
from demo.learn.lessons.reading import read_lesson
from tests.demo.learn.lessons.claims import CLAIM, QUOTED, sentences, split, uncited, unfound
from tests.demo.learn.lessons.test_reading import HEAD, PREDICT, STEP

MAX_WORDS = 22  # of an English sentence
every_lesson = pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.id)


@every_lesson
def test_each_claim_of_a_step_is_held(lesson: Lesson) -> None:
    bare = [f"{item.lesson}/{item.step}: {item.text}" for item in sentences(lesson) if not item.is_held]
    claims = {f"{item.lesson}/{item.step}: {item.text}" for item in sentences(lesson) if item.kind == CLAIM}
    assert [line for line in bare if line in claims] == []


@every_lesson
def test_a_sentence_is_short(lesson: Lesson) -> None:
    """A quotation counts as one word, and so does a term in braces."""
    bare = [QUOTED.sub("“”", re.sub(r"\{[^}]*\}", "1", item.text)) for item in sentences(lesson)]
    assert [text for text in bare if len(text.split()) > MAX_WORDS] == []


@every_lesson
def test_each_question_of_a_lesson_is_answered(lesson: Lesson) -> None:
    asking = [step.name for step in lesson.steps if not step.prediction and "?" in _outside_quotes(step.text)]
    open_reveals = [step.name for step in lesson.steps if "?" in _outside_quotes(step.reveal)]
    assert (asking, open_reveals) == ([], [])


def _outside_quotes(text: Text) -> str:
    return QUOTED.sub("", text.get("en", ""))


@every_lesson
def test_every_expectation_and_source_is_quoted_in_its_lesson(lesson: Lesson) -> None:
    assert {step.name: unfound(step) for step in lesson.steps if unfound(step)} == {}


@every_lesson
def test_a_source_says_where_to_look(lesson: Lesson) -> None:
    sources = [item.source for step in lesson.steps for item in step.sourced]
    reading = [lesson.reading["en"].rstrip(".")] if lesson.reading else []
    assert [part for source in (*sources, *reading) for part in uncited(source)] == []


@pytest.mark.parametrize(
    ("source", "nowhere"),
    [
        ("Cho et al. (2014), section 2.3; By construction: one token counts", []),
        ("Jurafsky and Martin, Speech and Language Processing, “N-gram Language Models”", []),
        ("Jurafsky and Martin, chapter 3; Mikolov et al. (2013b)", ["Jurafsky and Martin, chapter 3"]),
        ("Pearl (2009), Causality, chapter 3", ["Pearl (2009), Causality, chapter 3"]),
        ("Cho et al., section 2", ["Cho et al., section 2"]),
        ("The weights are normalised", ["The weights are normalised"]),
    ],
)
def test_the_check_finds_a_source_without_a_work(source: str, nowhere: list[str]) -> None:
    assert uncited(source) == nowhere


def test_a_claim_without_an_expectation_is_found() -> None:
    reveal = PREDICT.replace("It was {score}.", "It was {score}. The larger always wins. So it is known.")
    lesson = read_lesson(
        "one", HEAD + STEP + reveal.replace(":::expect ended", ":::expect ended # larger always")
    )
    claims = [item for item in sentences(lesson) if item.kind == CLAIM]
    assert [(item.text, item.is_held) for item in claims] == [
        ("The larger always wins.", True),
        ("So it is known.", False),
    ]


def test_a_text_is_split_at_the_ends_of_its_sentences() -> None:
    text = "Cho et al. (2014) saw it: 0.5. “{output}” Is it? {score} it is."
    assert split(text) == ["Cho et al. (2014) saw it: 0.5.", "“{output}” Is it?", "{score} it is."]
