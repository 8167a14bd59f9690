"""The glossary: the meaning of the words on the page, two sentences each."""

from __future__ import annotations

from collections.abc import Iterator

from demo.i18n import say
from demo.widgets.glossary.terms import (
    attention,
    inspection,
    measures,
    network,
    probability,
    sampling,
    search,
    text,
    training,
)
from demo.widgets.glossary.terms.term import Term

TERMS: tuple[Term, ...] = (
    *text.TERMS,
    *probability.TERMS,
    *search.TERMS,
    *sampling.TERMS,
    *attention.TERMS,
    *network.TERMS,
    *inspection.TERMS,
    *measures.TERMS,
    *training.TERMS,
)


def entries() -> list[tuple[list[str], str, str]]:
    """Return every term in the language of the request: its name and other forms, its meaning, its marks.

    Sorted by name.
    """
    lines = ((_forms(term), say(term.meaning), term.marked.value) for term in TERMS)
    return sorted(lines, key=lambda line: line[0][0].casefold())


def _forms(term: Term) -> list[str]:
    return [*filter(None, say(term.words).split("|")), *term.signs]


def names() -> Iterator[str]:
    """Return every form of every term in the language of the request."""
    for term in TERMS:
        yield from _forms(term)
