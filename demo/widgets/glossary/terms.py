"""The glossary: the meaning of the words on the page, two sentences each. `terms.json` holds the texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from demo.i18n import LANGUAGES, in_language, say
from demo.server.assets import address, register_text


class Marked(str, Enum):
    """The part of the page on which a term is marked. The list holds every term."""

    ANYWHERE = "anywhere"
    ALONE = "alone"  # marked where it stands alone, as in a legend: in a sentence it is an everyday word
    NOWHERE = "nowhere"  # an easy word: marks are left for the harder ones


@dataclass(frozen=True)
class Term:
    """A word and what it means; both are keys of the translations."""

    # The name and its other forms on the page, separated by |. A | at the end means that only translations
    # have other forms: the word without | is a key of its own, for a word that the page prints.
    words: str
    meaning: str  # two short sentences that a pupil understands, percentages first
    signs: tuple[str, ...] = ()  # forms that are the same in every language
    marked: Marked = Marked.ANYWHERE

    @property
    def name(self) -> str:
        """Return its English name."""
        return self.words.split("|")[0]

    def forms(self) -> list[str]:
        """Return its name and its other forms in the language of the request."""
        return [*filter(None, say(self.words).split("|")), *self.signs]


def _terms() -> Iterator[Term]:
    fields_by_words = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    for words, fields in fields_by_words.items():
        marked = Marked(fields.get("marked", Marked.ANYWHERE))
        yield Term(words, fields["meaning"], tuple(fields.get("signs", ())), marked)


TERMS: tuple[Term, ...] = tuple(_terms())


def entries() -> list[tuple[list[str], str, str]]:
    """Return every term in the language of the request: its name and other forms, its meaning, its marks.

    Sorted by name.
    """
    lines = ((term.forms(), say(term.meaning), term.marked.value) for term in TERMS)
    return sorted(lines, key=lambda line: line[0][0].casefold())


def names() -> Iterator[str]:
    """Return every form of every term in the language of the request."""
    for term in TERMS:
        yield from term.forms()


FILE = "terms.json"


def glossary_addresses() -> dict[str, str]:
    """The addresses of the glossary by the code of the language, relative to the page."""
    addresses = {}
    for code in LANGUAGES:
        with in_language(code):
            register_text(f"glossary-{code}", FILE, terms_text())
        addresses[code] = address(f"glossary-{code}", FILE)
    return addresses


def terms_text() -> str:
    """All terms in the language of the request as JSON; see `Term` of terms.js."""
    return json.dumps(entries(), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
