"""The end of a lesson: only the questions that a reader has answered, with the answers of `on_reveal`."""

from __future__ import annotations

import pytest

from demo.learn.lessons import lesson_called
from demo.learn.lessons.answers import last_question, on_recap, on_reveal
from demo.learn.lessons.states import States
from demo.work.requests.checks import RequestError


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Below is the rest. Is it 0.5 or 1.5?", "Is it 0.5 or 1.5?"),
        ("Is it? It is. How many?", "How many?"),
        ("现在是温度 2。还是不相干的词吗？", "还是不相干的词吗？"),
        ("No sentence asks here.", "No sentence asks here."),
    ],
)
def test_the_question_of_a_step_is_its_last_sentence_with_a_question_mark(text: str, question: str) -> None:
    assert last_question(text) == question


@pytest.mark.slow
def test_a_recap_has_the_answers_of_the_requested_steps_reveals(states: States) -> None:
    lesson = lesson_called("bleu")
    assert lesson is not None
    numbers = (2, 5)
    names = [lesson.steps[number - 1].name for number in numbers]
    lines = on_recap(states, {"lesson": "bleu", "names": [*names, lesson.steps[-1].name, "no step"]})["lines"]
    assert [line["name"] for line in lines] == names, "the last step predicts nothing"
    for line, number in zip(lines, numbers, strict=True):
        answer = on_reveal(states, {"lesson": "bleu", "step": number})
        assert (line["answer"], line["shown"]) == (answer["answer"], answer["shown"])
        assert line["question"].endswith("?")
        assert line["prediction"]["kind"] == "number"


@pytest.mark.parametrize("names", [None, "short", {"short": 2}, [], [7]])
def test_nothing_is_answered_without_a_list_of_names(states: States, names: object) -> None:
    assert on_recap(states, {"lesson": "bleu", "names": names}) == {"lines": []}
    with pytest.raises(RequestError):
        on_recap(states, {"lesson": "no such lesson", "names": names})
