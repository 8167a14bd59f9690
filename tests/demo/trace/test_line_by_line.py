"""The sentences of listings, and what the tab says where listing and search differ."""

from __future__ import annotations

import ast
import json
from dataclasses import replace
from typing import Any

import pytest

from demo.i18n import LANGUAGES, in_language
from demo.trace.cards.line_by_line import EXPRESSION, sentences
from demo.trace.payload import trace_payload
from models.decoding.status import Stop
from models.decoding.strategies import names
from models.decoding.strategies.listings import FOLDER, OPERATIONS, listing
from models.decoding.trace import DecodingTrace, Exploration, RequiredPhrase
from tests.fakes.traces import library_trace

WITHOUT = {"exhaustive"}  # strategies of this project that have no listing
NO_LINE = {"else:"}  # lines that Python does not execute
MAX_LINES = 25


def content(trace: DecodingTrace) -> tuple[Any, str]:
    payload = json.loads(trace_payload(trace))
    return payload["listing"], payload["captions"]["listing"]


def lines(strategy: str) -> list[str]:
    return [line.strip() for line in (listing(strategy) or "").splitlines()]


def test_every_strategy_has_a_listing_that_a_screen_holds() -> None:
    assert {name for name in names() if listing(name) is None} == WITHOUT
    files = {path.stem for path in FOLDER.glob("[a-z]*.py")} - {OPERATIONS}
    assert files <= set(names())
    assert all(1 < len(lines(name)) <= MAX_LINES for name in files)


def test_every_line_has_a_sentence_and_every_sentence_a_line() -> None:
    content_of_tab = {line for name in names() for line in lines(name)[1:]} - NO_LINE
    assert content_of_tab == sentences().keys()


@pytest.mark.parametrize("code", sentences())
def test_the_braces_of_a_sentence_hold_expressions_and_its_last_condition_always_holds(code: str) -> None:
    pairs = sentences()[code]
    assert pairs[-1][0] in {"True", "holds"}
    for condition, sentence in pairs:
        for expression in [condition, *EXPRESSION.findall(sentence)]:
            ast.parse(expression, mode="eval")
        for language in LANGUAGES.values():
            translated = language.sentences.get(sentence, sentence)
            assert sorted(EXPRESSION.findall(translated)) == sorted(EXPRESSION.findall(sentence))


@pytest.mark.parametrize("name", ["../beam", "operations", "__init__", "Beam", "", "soul"])
def test_a_strange_name_has_no_listing(name: str) -> None:
    assert listing(name) is None
    content_of_tab, note = content(replace(library_trace(), strategy=name))
    assert content_of_tab is None
    assert "has no listing" in note


def test_differences_of_listing_and_search_are_named() -> None:
    trace = library_trace()
    content_of_tab, note = content(trace)
    assert len(content_of_tab["lines"]) == len(lines("beam"))
    assert note == ""
    content_of_tab, note = content(replace(trace, words=(RequiredPhrase("bank", (7,)),)))
    assert content_of_tab is None
    assert "Required words" in note
    assert "3-gram" in content(replace(trace, settings={**trace.settings, "no_repeat_ngram_size": 3}))[1]
    assert "forced" in content(replace(trace, forced=(5,)))[1]
    penalised = replace(trace, settings={**trace.settings, "repetition_penalty": 1.3})
    assert content(penalised)[0] is None
    assert "repetition penalty" in content(penalised)[1]
    part = Exploration(expanded=9, recorded=500, ranked=20_000, stop=Stop.BUDGET)
    assert "500 of 20,000" in content(replace(trace, exploration=part))[1]


def test_the_sentences_are_in_the_language_of_the_request() -> None:
    with in_language("es"):
        content_of_tab, _ = content(library_trace())
    code = content_of_tab["lines"][3]["code"].strip()
    english = [sentence for _, sentence in sentences()[code]]
    translated_sentences = [sentence for _, sentence in content_of_tab["lines"][3]["sentences"]]
    assert translated_sentences == [LANGUAGES["es"].sentences[sentence] for sentence in english]
