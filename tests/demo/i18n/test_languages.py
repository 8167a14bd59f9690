"""The languages of the page: the language of a request, and the part of its catalogue that is sent."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from demo.i18n import (
    LANGUAGES,
    complete_languages,
    in_language,
    language,
    message_text,
    say,
    translations,
    wanted_language,
)
from demo.i18n.page_translations import PageI18n, in_template, keys_of, labels, localize
from demo.page.interface import HEADER
from demo.trace.component import page_shell
from demo.trace.trace_card import Caption, cards
from demo.training.work.fields import with_bounds
from tests.demo.i18n.keys import whole_page
from tests.fakes.traces import library_trace, translation_trace

OTHERS = [code for code in LANGUAGES if code != "en"]
COMPLETE = [code for code in complete_languages() if code != "en"]


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Gradio's configuration of the whole page, in English, with the shipped checkpoints."""
    return dict(whole_page(tmp_path_factory.mktemp("page")).get_config_file())


@pytest.mark.parametrize(
    ("query", "headers", "expected"),
    [
        ("", {}, "en"),
        ("", {"accept-language": "es-MX,es;q=0.9,en;q=0.8"}, "es"),
        ("", {"accept-language": "zh-TW"}, "zh"),
        ("", {"accept-language": "zh-Hans-CN, en;q=0.1"}, "zh"),
        ("", {"accept-language": "fr-FR,fr;q=0.9,en;q=0.8,es;q=0.7"}, "en"),
        ("", {"accept-language": "es;q=0.2,zh;q=0.9"}, "zh"),
        ("", {"accept-language": "es;q=0"}, "en"),
        ("", {"accept-language": ";q=x,,*,es;q=1e9999"}, "es"),
        ("", {"accept-language": "es", "cookie": "a=b; unrolled-lang=zh"}, "zh"),
        ("", {"cookie": 'of-another={"a": [1, 2]}; unrolled-lang=zh'}, "zh"),
        ("", {"accept-language": "fr, es ; q=0.5"}, "es"),
        ("", {"accept-language": "es", "cookie": "unrolled-lang=<script>"}, "es"),
        ("", {"cookie": "unrolled-lang=zh", "referer": "http://here/?tab=compare&__lang=es"}, "es"),
        ("__lang=en", {"cookie": "unrolled-lang=zh", "referer": "http://here/?__lang=es"}, "en"),
        ("__lang=tlh", {"accept-language": "es"}, "es"),
    ],
)
def test_the_address_wins_then_the_switch_then_the_browser(
    query: str, headers: dict[str, str], expected: str
) -> None:
    assert wanted_language(query, headers) == expected


def test_a_language_lasts_for_its_block() -> None:
    with in_language("es"):
        assert (language(), say("Greedy")) == ("es", "Voraz")
        with in_language("tlh"):
            assert say("Greedy") == "Greedy"
        assert say("Beam {beam_size}", beam_size=4) == "Haz 4"
    assert say("Beam {beam_size}", beam_size=4) == "Beam 4"


def test_untranslated_sentences_stay_english_and_typed_braces_stay() -> None:
    with in_language("zh"):
        assert say("No such key {a}", a=1) == "No such key 1"
        assert say("“{title}” has started.", title="{x} {0}") == "“{x} {0}”已开始。"


@pytest.mark.parametrize("code", COMPLETE)
def test_captions_of_a_trace_are_in_one_language(code: str) -> None:
    with in_language("en"):
        english = _sentences()
    with in_language(code):
        translated = _sentences()
    assert len(english) == len(translated)
    # A caption without a word of its own is empty in every language.
    assert [bool(text) for text in english] == [bool(text) for text in translated]
    assert not [one for one, other in zip(english, translated, strict=True) if one and one == other]


def _sentences() -> list[str]:
    traces = library_trace(), translation_trace(), library_trace(attention=False)
    captions = [caption for card in cards() for caption in card.captions.values()]
    return [text for trace in traces for caption in captions for text in _texts(caption(trace))]


def _texts(caption: Caption) -> Iterator[str]:
    if isinstance(caption, str):
        yield caption
    else:
        yield from caption.values() if isinstance(caption, Mapping) else caption


def test_each_language_is_offered_by_its_own_name() -> None:
    with in_language("zh"):
        assert say("English") == "英语"
        assert in_template(HEADER, translations("zh")).count(">English<") == HEADER.count(">English<") == 1


def test_a_template_is_translated_in_its_texts_and_labels_alone() -> None:
    template = '<p class="Stop" title="Play"> Stop <b>${value}</b></p>'
    translated = in_template(template, {"Stop": "A < B", "Play": 'say "x"', "value": "broken"})
    assert translated == '<p class="Stop" title="say &quot;x&quot;"> A &lt; B <b>${value}</b></p>'


def test_gradio_translates_labels_and_python_the_rest_of_the_page(config: dict[str, Any]) -> None:
    with in_language("es"):
        translated = localize(config, {}, {item["id"]: None for item in config["components"]})
    props = {item["props"].get("elem_id"): item["props"] for item in translated["components"]}
    assert props["strategy"]["label"].startswith("__i18n__")
    assert ("Voraz", "greedy") in props["strategy"]["choices"]
    assert (
        props["source"]["info"]
        == "Como mucho 500 caracteres. Intro decodifica, Mayús+Intro empieza una línea."
    )
    assert "Toma en cada paso el token más probable" in props["strategy-description"]["value"]
    assert "Aún no se ha decodificado nada" in props["trace"]["html_template"]
    assert 'content: "Al azar"' in translated["css"]


def test_sentences_among_the_values_of_a_label_are_translated() -> None:
    label = with_bounds("SGD adds this share of its last step to the next.", 0, "1")
    assert label == "SGD adds this share of its last step to the next. 0 to 1."
    with in_language("es"):
        assert message_text(label) == "SGD suma esta parte de su último paso al siguiente. De 0 a 1."


@pytest.mark.parametrize("code", OTHERS)
def test_a_page_receives_the_table_of_its_language_and_english_none(
    code: str, config: dict[str, Any]
) -> None:
    i18n = PageI18n()
    i18n.labels = labels(config)
    assert i18n.translations_dict == {}
    with in_language(code):
        table = i18n.translations_dict
    assert len(table) == 1
    sent = json.dumps(table, ensure_ascii=False).encode()
    assert len(gzip.compress(sent)) < 16_700


def test_a_downloaded_page_keeps_its_language_and_needs_no_other() -> None:
    with in_language("es"):
        translated = page_shell()
    assert '<html lang="es">' in translated
    assert "Aún no se ha decodificado nada" in translated
    assert '"Play": "Reproducir"' in translated
    assert '<html lang="en">' in page_shell()
    assert "window.unrolled = { words: {} };" in page_shell()


def test_a_long_sentence_may_stand_in_two_lines_of_a_script() -> None:
    script = (
        't(\n  "It was {count} " +\n    "of “them”.",\n  { count }) + t("other") + in_page("one"  \n "two")'
    )
    assert list(keys_of(script)) == ["It was {count} of “them”.", "other", "onetwo"]
