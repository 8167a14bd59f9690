"""One word of the glossary."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


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
