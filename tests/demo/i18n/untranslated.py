"""Prints what each language still lacks: `make untranslated`, or `make untranslated ARGS=fr` for one."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Set

from demo.i18n import ENGLISH, LANGUAGES, translations
from demo.learn.lessons import lessons
from demo.learn.lessons.lesson import Lesson, Text
from models.registry.card import translated_card
from tests.demo.i18n.keys import CHECKPOINTS, page_keys


def untranslated(code: str, sentences: Set[str]) -> Iterator[str]:
    """The texts of the page, the lessons and the cards that a language lacks, each after its file."""
    for sentence in sorted(sentences - translations(code).keys()):
        yield f"demo/i18n/{code}.json: {json.dumps(sentence, ensure_ascii=False)}"
    for lesson in lessons():
        for text in _texts(lesson):
            if text and code not in text:
                yield f"demo/learn/lessons/course/{lesson.id}.md: {text[ENGLISH]}"
    for card in sorted(CHECKPOINTS.glob("*/README.md")):
        if not (translation := card.with_name(translated_card(code))).is_file():
            yield f"checkpoints/{card.parent.name}/{translation.name}"


def _texts(lesson: Lesson) -> Iterator[Text]:
    yield lesson.title
    for step in lesson.steps:
        yield from (step.text, step.reveal)
        if step.prediction is not None:
            yield from (option.text for option in step.prediction.options)
    yield lesson.reading


def main() -> None:
    """Print the missing texts of the named languages, or of all."""
    codes = sys.argv[1:] or [code for code in LANGUAGES if code != ENGLISH]
    for code in codes:
        missing = list(untranslated(code, page_keys()))
        sys.stdout.writelines(f"{line}\n" for line in missing)
        sys.stdout.write(f"{code}: {len(missing)} texts are not translated.\n")


if __name__ == "__main__":
    main()
