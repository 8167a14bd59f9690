"""The catalogues of the page's languages: complete, sorted, with the fields of the English sentences."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Set
from typing import Any

from demo.i18n import HEADER, INCOMPLETE
from demo.widgets.glossary.terms import TERMS
from tests.demo.i18n.catalogues import in_order
from tests.demo.i18n.keys import page_keys
from tests.lint.project import Breach, Findings, Project, each_text
from tests.messages import FIELD

FOLDER = "demo/i18n/"
TERM_NAMES = {term.words for term in TERMS}


def every_sentence_is_translated(
    project: Project, keys: Callable[[], Set[str]] = page_keys
) -> Iterator[Breach]:
    for path, text in project.matching(FOLDER, ".json").items():
        catalogue = json.loads(text)
        if INCOMPLETE not in catalogue[HEADER]:
            for sentence in sorted(keys() - catalogue.keys()):
                yield Breach(path, 1, f"lacks {_spelt(sentence)}")


def no_translation_is_left_over(
    project: Project, keys: Callable[[], Set[str]] = page_keys
) -> Iterator[Breach]:
    for path, text in project.matching(FOLDER, ".json").items():
        for sentence in sorted(json.loads(text).keys() - {HEADER} - keys()):
            yield Breach(
                path, project.line_of(path, f"{_spelt(sentence)}:"), f"nothing shows {_spelt(sentence)}"
            )


@each_text(FOLDER, suffix=".json")
def translations_keep_the_fields_and_hold_no_markup(text: str) -> Findings:
    for line, english, translated in _entries(text):
        if {*FIELD.findall(english)} != {*FIELD.findall(translated)}:
            yield line, f"has other fields than {_spelt(english)}"
        if translated.strip() != translated or not translated:
            yield line, f"has a translation that is empty or has spaces around it: {_spelt(english)}"
        if re.search(r"[<>&]", translated.replace("=>", "")):
            yield line, f"holds markup: {_spelt(english)}"


@each_text(FOLDER, suffix=".json")
def only_terms_of_the_glossary_have_several_forms(text: str) -> Findings:
    for line, english, translated in _entries(text):
        if "|" in translated.replace("|||", "") and english not in TERM_NAMES:
            yield line, f"has several forms of what is no term: {_spelt(english)}"
        if english in TERM_NAMES and "|" in translated and "|" not in english:
            yield line, f"has several forms of a term with one: {_spelt(english)}"


@each_text(FOLDER, suffix=".json")
def a_catalogue_is_sorted(text: str) -> Findings:
    if text != in_order(text):
        yield 1, "is not sorted: `make format` sorts it"


@each_text(FOLDER, "demo/widgets/glossary/", suffix=".json")
def every_key_of_a_catalogue_occurs_once(text: str) -> Findings:
    pairs: list[tuple[str, Any]] = json.loads(text, object_pairs_hook=list)
    for english, count in Counter(english for english, _ in pairs).items():
        if count > 1:
            yield 1, f"has {_spelt(english)} {count} times"


def _entries(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, English sentence and translation of a sorted catalogue, which has one in each line."""
    lines = {line.strip().split('": "')[0]: number for number, line in enumerate(text.splitlines(), 1)}
    for english, translated in json.loads(text).items():
        if english != HEADER:
            yield lines.get(_spelt(english)[:-1], 1), english, translated


def _spelt(sentence: str) -> str:
    return json.dumps(sentence, ensure_ascii=False)
