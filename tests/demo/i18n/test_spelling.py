"""One spelling of numbers and names on the whole page: 86.4%, −6.45, AdamW, ␣."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from demo.i18n import LANGUAGES, in_language, translations
from demo.learn.lessons import lessons, questions
from demo.trace.payload import trace_payload
from demo.training.work.run_report import facts_of
from demo.widgets.glossary.terms import entries
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import OPTIMIZER_TITLES, OptimizerConfig
from tests.demo.i18n.keys import CHECKPOINTS
from tests.fakes.traces import library_trace, translation_trace

# Each with texts that it must find, and texts that it must leave alone.
FAULTS = {
    "a hyphen for a minus sign": re.compile(r"(?<![\w.,:;/\[\](){}<>=+*@#&%-])-(?=\d)"),
    "a space before %": re.compile(r"(?<=[\d}])[ \u00a0\u202f]%(?![{(\w])"),
    "AdamW is written so": re.compile(r"\b(?!AdamW\b)[Aa]dam[Ww]\b"),
}
CODE = re.compile(r"(?s)^---.*?\n---|```.*?```|`[^`]*`")  # code in a card, and its header
SAMPLES = {
    "a hyphen for a minus sign": (
        ["at -6.45 nats", "-1"],
        ["1-2", "T-5", "out[-1]", "top-5", "−6.45", "utf-8"],
    ),
    "a space before %": (["86.4 %", "{share} %."], ["86.4%", "50 %{y}"]),
    "AdamW is written so": (["Adamw", "adamw, rate"], ["AdamW", "Adam"]),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_patterns_of_spelling_find_their_examples(name: str) -> None:
    wrong, right = SAMPLES[name]
    assert all(map(FAULTS[name].search, wrong))
    assert not any(map(FAULTS[name].search, right))


def faults_in(texts: Iterator[str]) -> list[str]:
    return [
        f"{name}: {text[:120]}" for text in texts for name, pattern in FAULTS.items() if pattern.search(text)
    ]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


@pytest.mark.parametrize("code", LANGUAGES)
def test_sentences_of_the_page_use_one_spelling(code: str) -> None:
    with in_language(code):
        assert faults_in(_texts([dict(translations(code)), list(translations(code)), entries()])) == []
    course = [*lessons(), questions()]
    texts = [
        text.get(code, "") for item in course for step in item.steps for text in (step.text, step.reveal)
    ]
    assert faults_in(iter(texts)) == []


def test_checkpoint_cards_use_one_spelling() -> None:
    prose = (CODE.sub("", path.read_text(encoding="utf-8")) for path in CHECKPOINTS.glob("*/README*.md"))
    assert faults_in(line.removeprefix("- ") for text in prose for line in text.splitlines()) == []


def test_captions_use_one_spelling() -> None:
    for trace in (library_trace(), translation_trace()):
        assert faults_in(_texts(json.loads(trace_payload(trace))["captions"])) == []


@pytest.mark.parametrize("kind", OPTIMIZER_TITLES)
def test_a_runs_facts_spell_its_optimizer_as_the_literature_does(kind: str) -> None:
    assert faults_in(iter(facts_of(TrainingConfig(name="x", optimizer=OptimizerConfig(kind=kind))))) == []
