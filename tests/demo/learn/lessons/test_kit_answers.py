"""Answers of the kit to the dock: quizzes, the test around the course."""

from __future__ import annotations

import pytest

from demo.i18n import complete_languages, in_language
from demo.learn.lessons import lessons
from demo.learn.lessons.answers import on_lesson, on_paired, on_quiz
from demo.learn.lessons.states import States

BY_NAME = {lesson.id: lesson for lesson in lessons()}


def test_a_lesson_is_sent_with_its_kit_and_the_questions_without() -> None:
    kit = on_lesson({"lesson": "search"})["kit"]
    assert kit["goal"].endswith(".")
    assert kit["before"] == [BY_NAME[name].title["en"] for name in ("perplexity", "greedy")]
    assert kit["recall"]["lesson"] in BY_NAME
    assert on_lesson({"lesson": "tour"})["kit"]["recall"] is None
    assert on_lesson({"lesson": "questions"})["kit"] is None


@pytest.mark.parametrize("which", ["before", "after", "another", None])
def test_the_two_tests_have_the_same_topics_and_other_questions(which: str | None) -> None:
    first, second = (on_paired({"which": name})["items"] for name in ("before", which))
    assert [item["topic"] for item in first] == [item["topic"] for item in second]
    same = [one["text"] == other["text"] for one, other in zip(first, second, strict=True)]
    assert not any(same) if which == "after" else all(same)
    assert all(0 <= item["answer"] < len(item["options"]) for item in second)


def test_the_tests_before_and_after_the_course_are_in_every_language() -> None:
    texts = []
    for code in complete_languages():
        with in_language(code):
            texts.append([item["text"] for item in on_paired({"which": "after"})["items"]])
    assert all(len({*versions}) == len(texts) for versions in zip(*texts, strict=True))


@pytest.mark.slow
def test_a_quiz_is_sent_with_numbers_and_answers(states: States) -> None:
    items = on_quiz(states, {"lesson": "bleu"})["items"]
    assert [item["options"][item["answer"]] for item in items] == ["2", "the brevity penalty"]
    assert "{" not in items[1]["explanation"]
    assert on_quiz(states, {"lesson": "questions"}) == {"items": []}
