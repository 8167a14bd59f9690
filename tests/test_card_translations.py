"""The cards of the shipped checkpoints in other languages: there, and with the facts of the English ones."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from demo.i18n import ENGLISH, complete_languages
from models.registry.registry import Registry

REGISTRY = Registry(Path(__file__).parents[1] / "checkpoints")
OTHERS = [code for code in complete_languages() if code != ENGLISH]
# What is the same in every language: figures, code, links, and what was read and written.
FACTS = {
    "figures": re.compile(r"\d[\d.,]*\d|\d"),
    "code": re.compile(r"`[^`]+`"),
    "links": re.compile(r"\]\(([^)]+)\)"),
    "quotations": re.compile(r'"[^"]+"'),
}


def facts(text: str) -> dict[str, Counter[str]]:
    told = " ".join(text.split())  # wherever its lines end
    return {name: Counter(pattern.findall(told)) for name, pattern in FACTS.items()}


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("name", REGISTRY.names())
def test_a_card_says_the_same_in_every_language(name: str, code: str) -> None:
    english, told = REGISTRY.card(name).body, REGISTRY.card(name, code).body
    assert told != english, f"there is no README.{code}.md"
    assert told.startswith(f"# {name}\n")
    assert told.count("\n\n") == english.count("\n\n"), "paragraphs"
    assert facts(told) == facts(english)


def test_what_is_the_same_in_every_language_is_noticed_when_it_changes() -> None:
    text = 'In 5 steps `a -b` writes "x y"; see [it](https://example.org/1).'
    assert facts(text) == facts(text.replace(" steps ", "\nkroků ").replace("see", "viz"))
    for part in ("5", "-b", "x", "/1"):
        assert facts(text) != facts(text.replace(part, "", 1))


def test_a_language_without_a_file_has_the_english_text() -> None:
    assert REGISTRY.card("reverse-gru", "tlh") == REGISTRY.card("reverse-gru")
    assert REGISTRY.cards("es")["reverse-gru"] == REGISTRY.card("reverse-gru", "es")
