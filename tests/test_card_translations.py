"""The translated cards of the shipped checkpoints exist and state the facts of the English ones."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from demo.i18n import ENGLISH, complete_languages
from models.registry.registry import Registry

REGISTRY = Registry(Path(__file__).parents[1] / "checkpoints")
OTHERS = [code for code in complete_languages() if code != ENGLISH]
# Parts that are the same in every language.
FACTS = {
    "figures": re.compile(r"\d[\d.,]*\d|\d"),
    "code": re.compile(r"`[^`]+`"),
    "links": re.compile(r"\]\(([^)]+)\)"),
    "quotations": re.compile(r'"[^"]+"'),
}


def facts(text: str) -> dict[str, Counter[str]]:
    flat = " ".join(text.split())  # line breaks make no difference
    return {name: Counter(pattern.findall(flat)) for name, pattern in FACTS.items()}


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("name", REGISTRY.names())
def test_a_card_says_the_same_in_every_language(name: str, code: str) -> None:
    english, translated = REGISTRY.card(name).body, REGISTRY.card(name, code).body
    assert translated != english, f"there is no README.{code}.md"
    assert translated.startswith(f"# {name}\n")
    assert translated.count("\n\n") == english.count("\n\n"), "paragraphs"
    assert facts(translated) == facts(english)


def test_facts_of_a_card_differ_if_a_number_or_code_changes() -> None:
    text = 'In 5 steps `a -b` writes "x y"; see [it](https://example.org/1).'
    assert facts(text) == facts(text.replace(" steps ", "\nkroků ").replace("see", "viz"))
    for part in ("5", "-b", "x", "/1"):
        assert facts(text) != facts(text.replace(part, "", 1))


def test_a_language_without_a_file_has_the_english_text() -> None:
    assert REGISTRY.card("reverse-gru", "tlh") == REGISTRY.card("reverse-gru")
    assert REGISTRY.cards("es")["reverse-gru"] == REGISTRY.card("reverse-gru", "es")
