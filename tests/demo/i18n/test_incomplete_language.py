"""An unfinished language: missing sentences are in English, and it must be chosen by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from demo.i18n import (
    LANGUAGES,
    Catalogue,
    complete_languages,
    in_language,
    read_catalogue,
    read_catalogues,
    translations,
    wanted_language,
)
from demo.i18n.page_translations import PageI18n, labels, localize
from demo.labs import labs
from demo.learn.lab_answers import on_lab
from demo.learn.lessons import lessons
from demo.learn.lessons.answers import on_lesson
from demo.learn.views import on_course
from demo.server.request_language import RequestLanguage
from demo.trace.component import page_shell
from demo.trace.payload import trace_payload
from demo.widgets.glossary.terms import glossary_addresses, terms_text
from demo.widgets.strategy_picker.component import forms
from demo.work.errors import sentence
from models.errors import Message
from models.registry.registry import Registry
from tests.demo.i18n.keys import CHECKPOINTS, whole_page
from tests.demo.i18n.untranslated import untranslated
from tests.demo.labs.small_network import small_networks
from tests.demo.server.test_answer_cache import PageMaker, ask
from tests.fakes.traces import library_trace, translation_trace

EMPTY = "tlh"  # the language of this test, whose catalogue is empty


@pytest.fixture(autouse=True)
def _empty_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a language, as a file with only a header does."""
    monkeypatch.setitem(LANGUAGES, EMPTY, Catalogue("tlhIngan Hol", "taH"))


def captions() -> list[dict[str, Any]]:
    return [json.loads(trace_payload(trace)) for trace in (library_trace(), translation_trace())]


CONTENTS: dict[str, Callable[[], object]] = {
    "lessons": lambda: [on_lesson({"lesson": lesson.id}) for lesson in lessons()],
    "course": lambda: on_course(None),
    "glossary": terms_text,
    "labs": lambda: [on_lab({"lab": lab.name}, networks=small_networks()) for lab in labs()],
    "strategies": forms,
    "results": captions,
    "exported page": lambda: page_shell().replace(f'lang="{EMPTY}"', 'lang="en"'),
    "refusals": lambda: sentence(Message("no", "{what} is empty", what=Message("it", "a file"))),
}


@pytest.mark.slow
@pytest.mark.parametrize("content", CONTENTS)
def test_untranslated_parts_are_in_english(content: str) -> None:
    lessons.cache_clear()  # to be read again, now that there is one language more
    with in_language("en"):
        english = CONTENTS[content]()
    with in_language(EMPTY):
        assert CONTENTS[content]() == english


def test_cards_without_a_translation_are_in_english() -> None:
    registry = Registry(CHECKPOINTS)
    assert registry.cards(EMPTY) == registry.cards("en")
    assert registry.card("reverse-gru", EMPTY) == registry.card("reverse-gru")
    assert registry.cards("es")["reverse-gru"] == registry.card("reverse-gru", "es")


@pytest.mark.slow
def test_the_whole_page_is_in_english(tmp_path: Path) -> None:
    page = whole_page(tmp_path)
    config, i18n = page.get_config_file(), PageI18n()
    i18n.labels = labels(config)
    with in_language(EMPTY):
        config_in_language = localize(dict(config), i18n.translations_dict, page.blocks)
    assert config_in_language["i18n_translations"] == {}
    assert config_in_language["css"] == config["css"]
    for one, other in zip(config_in_language["components"], config["components"], strict=True):
        properties = _translated_props(page.blocks[one["id"]], EMPTY)
        assert properties == _translated_props(page.blocks[one["id"]], "en")
        for name in other["props"].keys() - properties.keys() - {"props"}:
            assert _plain(one["props"][name]) == _plain(other["props"][name]), one["type"]


def _translated_props(block: object, code: str) -> dict[str, Any]:
    """The properties that a block supplies in the language of each request."""
    with in_language(code):
        return dict(block.translated_props()) if hasattr(block, "translated_props") else {}


def _plain(value: object) -> Any:
    return json.loads(json.dumps(value, default=str))


def test_an_incomplete_language_has_a_page_and_a_glossary_file() -> None:
    page = ask(RequestLanguage(PageMaker()), f"http://here/?__lang={EMPTY}")
    assert f'<html lang="{EMPTY}">' in page
    assert EMPTY in glossary_addresses()


@pytest.mark.parametrize("code", [EMPTY, "fr"])
def test_an_incomplete_language_is_chosen_by_hand_and_never_by_the_browser(code: str) -> None:
    headers = {"accept-language": f"{code},es;q=0.1"}
    assert wanted_language("", headers) == "es"
    assert wanted_language("", {**headers, "cookie": f"unrolled-lang={code}"}) == code
    assert wanted_language(f"__lang={code}", headers) == code


def test_the_command_lists_the_missing_sentences() -> None:
    lines = list(untranslated(EMPTY, {"Decode"}))
    assert 'demo/i18n/tlh.json: "Decode"' in lines
    assert "checkpoints/reverse-gru/README.tlh.md" in lines
    assert any(line.startswith("demo/learn/lessons/course/tour.md: ") for line in lines)
    assert list(untranslated("es", translations("es").keys())) == []


def test_english_spanish_and_chinese_are_complete_and_french_is_not() -> None:
    assert {"en", "es", "zh"} <= {*complete_languages()}
    assert LANGUAGES["fr"].label == "Français (en cours)"


def test_a_catalogue_is_read_by_its_header(tmp_path: Path) -> None:
    (tmp_path / "de.json").write_text('{"": {"name": "Deutsch", "incomplete": "in Arbeit"}, "Stop": "Halt"}')
    (tmp_path / "it.json").write_text('{"": {"name": "Italiano"}}')
    assert read_catalogues(tmp_path) == {
        "it": Catalogue("Italiano"),
        "de": Catalogue("Deutsch", "in Arbeit", {"Stop": "Halt"}),
    }


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pt-BR.json", "{}"),
        ("de.json", '{"Stop": "Halt"}'),
        ("de.json", '{"": {"incomplete": "in Arbeit"}}'),
        ("de.json", '{"": {"name": "Deutsch", "started": "ja"}}'),
    ],
)
def test_a_file_that_is_no_catalogue_is_refused_by_its_name(tmp_path: Path, file: str, text: str) -> None:
    (tmp_path / file).write_text(text)
    with pytest.raises(ValueError, match=f"^{file}"):
        read_catalogue(tmp_path / file)
