"""Lessons as Markdown: the parts of a file, and a refusal for every fault."""

from __future__ import annotations

import pytest

from demo.i18n import in_language
from demo.learn.lessons.lesson import Expectation, GeneralKnowledge, text_of
from demo.learn.lessons.reading import LessonFormError, read_lesson

HEAD = """---
title: One | Uno | 一
chapter: start
place: 3
minutes: 2
---
"""
STEP = """:::step first look=output open="?tab=decode&text=hola%20amigo"
Text on
two lines.
es: Texto.
zh: 正文。
"""
PREDICT = """:::predict choose
- [score@1 > score@2] the first | el primero | 第一
- [score@1 <= score@2] the second | el segundo | 第二
:::reveal
It was {score}.
es: Fue {score}.
zh: 是 {score}。
:::expect score@1 > score@2 # It was
:::expect ended
:::known Cho et al. (2014) # It was {score}
:::contrast wide open="?tab=decode&strategy=beam"
:::done strategy=beam & beam_size>=8
"""
SECOND = """:::step second
More.
es: Más.
zh: 更多。
"""


def test_a_lesson_is_read() -> None:
    lesson = read_lesson("one", HEAD + STEP + PREDICT + SECOND)
    assert (lesson.id, lesson.title["zh"], lesson.chapter, lesson.position) == ("one", "一", "start", 3)
    first, second = lesson.steps
    assert first.text == {"en": "Text on two lines.", "es": "Texto.", "zh": "正文。"}
    assert (first.name, first.page_part, first.link) == ("first", "output", "tab=decode&text=hola%20amigo")
    assert first.prediction is not None
    assert [option.term for option in first.prediction.options] == ["score@1 > score@2", "score@1 <= score@2"]
    assert first.prediction.options[1].text["es"] == "el segundo"
    assert first.reveal["en"] == "It was {score}."
    assert first.expected == (Expectation("score@1 > score@2", "It was"), Expectation("ended"))
    assert first.sourced == (GeneralKnowledge("Cho et al. (2014)", "It was {score}"),)
    assert first.contrasts == {"wide": "tab=decode&strategy=beam"}
    assert first.done == "strategy=beam & beam_size>=8"
    assert (second.link, second.state) == ("", first.link)  # the page stays as it is


def test_a_further_language_may_have_some_of_the_texts() -> None:
    head = HEAD.replace("| 一", "| 一 | fr: Un")
    step = STEP + "fr: Du texte\nsur deux lignes.\n"
    predict = PREDICT.replace("| 第一", "| 第一 | fr: le premier")
    (first, second) = read_lesson("one", head + step + predict + SECOND + "fr:\n").steps
    assert read_lesson("one", head + step).title == {"en": "One", "es": "Uno", "zh": "一", "fr": "Un"}
    assert first.text["fr"] == "Du texte sur deux lignes."
    assert first.prediction is not None
    texts = [option.text for option in first.prediction.options]
    assert texts[0] == {"en": "the first", "es": "el primero", "zh": "第一", "fr": "le premier"}
    assert "fr" not in texts[1]
    assert "fr" not in second.text
    with in_language("fr"):
        assert text_of(texts[0]) == "le premier"
        assert text_of(texts[1]) == "the second"


@pytest.mark.parametrize(
    ("ends", "resolution"),
    [("low=1 high=8", 1), ("low=1.0 high=8", 0.1), ("low=0.0 high=100", 0.1), ("low=0 high=1", 0.01)],
)
def test_a_range_written_with_a_decimal_point_gives_a_fine_scale(ends: str, resolution: float) -> None:
    predict = f":::predict number answer=score {ends}\n" + PREDICT.partition("第二\n")[2]
    (step,) = read_lesson("one", HEAD + STEP + predict).steps
    assert step.prediction is not None
    assert step.prediction.resolution == resolution


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("", r"line 1.*head"),
        (HEAD + "lost\n" + STEP, r"line 7.*text"),
        (HEAD + ":::reveal\n" + STEP, r"line 7.*reveal"),
        (HEAD + STEP.replace("open=", "opens="), r"line 7.*name"),
        (HEAD + STEP.replace("look=", "show=tree look="), r"line 7.*show="),
        (HEAD + STEP.replace("zh: 正文。", ""), r"line 7.*zh"),
        (HEAD + SECOND, r"line .*state"),
        (HEAD + STEP + STEP, r"line .*name"),
        (HEAD + STEP + PREDICT.replace("choose", "guess"), r"choose\b.*\border"),
        (HEAD + STEP + ":::predict number answer=score low=3 high=3\n", "number"),
        (HEAD + STEP + ":::predict type\n", "distribution"),
        (HEAD + STEP + ":::predict choose answer=score\n", "fact"),
        (HEAD + STEP + PREDICT.replace("| 第一", ""), "zh"),
        (HEAD + STEP + PREDICT.split(":::reveal")[0], "reveal"),
        (HEAD + STEP + ":::dance\n", "dance"),
        (HEAD + STEP + ":::contrast wide\n", "contrast"),
        (HEAD.replace("chapter: start", "chapter: none") + STEP, "chapter"),
        (HEAD.replace("minutes: 2\n", "") + STEP, "minutes"),
    ],
)
def test_an_invalid_lesson_is_refused_by_its_line(text: str, pattern: str) -> None:
    with pytest.raises(LessonFormError, match=pattern):
        read_lesson("one", text)
