from __future__ import annotations

import html
import math
from html.parser import HTMLParser

import pytest

from demo.i18n.display import (
    chances_text,
    display_token,
    number_text,
    percent_text,
    plotly_text,
    reason_sentence,
    status_sentence,
)
from models.decoding.status import Reason, Status


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


@pytest.mark.parametrize(
    ("surface", "visible"),
    [
        ("▁library", "␣library"),
        (" library", "␣library"),
        (" ", "␣"),
        ("", "∅"),
        ("\n", "↵"),
        ("\t", "⇥"),
        ("\x00", "␀"),
        ("\x1b", "␛"),
        ("\u200b", "⟨ZWSP U+200B⟩"),
        ("\u200d", "⟨ZWJ U+200D⟩"),
        ("a\u202eb", "a⟨RLO U+202E⟩b"),
        ("\ue000", "⟨U+E000⟩"),
        ("\ufe0f", "⟨VS16 U+FE0F⟩"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("\u3164", "⟨HF U+3164⟩"),
        ("\u2028", "␣"),
        ("\u0301", "◌\u0301"),
        ("##ing", "##ing"),
        ("año", "año"),
    ],
)
def test_invisible_characters_are_shown(surface: str, visible: str) -> None:
    assert display_token(surface) == visible


@pytest.mark.parametrize("special", ["</s>", "<s>", "<unk>", "<pad>"])
def test_special_tokens_are_shown_as_they_are(special: str) -> None:
    assert display_token(special) == special
    assert html.unescape(plotly_text(special)) == special


@pytest.mark.parametrize("surface", ["</s>", "<b>", "<img src=x onerror=alert(1)>", "&lt;b&gt;", "a<b"])
def test_plotly_reads_no_tag(surface: str) -> None:
    parser = Tags()
    parser.feed(plotly_text(surface, limit=100))
    assert parser.tags == []
    assert html.unescape(plotly_text(surface, limit=100)) == display_token(surface)


def test_a_long_token_is_shortened_before_escaping() -> None:
    assert plotly_text("<" * 20, limit=3) == "&lt;&lt;…"


def test_every_status_and_reason_has_a_sentence_of_its_own() -> None:
    sentences = [reason_sentence(reason) for reason in Reason] + [
        status_sentence(status) for status in Status
    ]
    assert len(set(sentences)) == len(Reason) + len(Status)
    assert all(sentence and "_" not in sentence for sentence in sentences)


@pytest.mark.parametrize(
    ("value", "text"),
    [(-1.234, "−1.23"), (0.5, "0.50"), (-0.001, "0.00"), (-math.inf, "−∞"), (math.inf, "∞")],
)
def test_numbers_have_the_digits_that_matter(value: float, text: str) -> None:
    assert number_text(value) == text


@pytest.mark.parametrize(
    ("log_prob", "text"),
    [
        (math.log(0.4123), "41.2% (−0.89 nats)"),
        (math.log(0.000186), "0.02% (−8.59 nats)"),
        (math.log(1.2e-6), "0.0001% (−13.63 nats)"),
        (math.log(1e-3), "0.1% (−6.91 nats)"),
        (-40.0, "<0.00000001% (−40.00 nats)"),
        (-math.inf, "0.0% (−∞ nats)"),
    ],
)
def test_a_small_percentage_keeps_its_first_digit(log_prob: float, text: str) -> None:
    assert chances_text(log_prob) == text


@pytest.mark.parametrize(
    ("probability", "text"), [(0.0, "0.0%"), (0.0001, "<0.1%"), (0.4123, "41.2%"), (1.0, "100%")]
)
def test_percentages_have_the_digits_that_matter(probability: float, text: str) -> None:
    assert percent_text(probability) == text
