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

    # Its name, then the other forms by which it is known on the page, parted by |. One at the end where only
    # translations have other forms: the bare word is a key of its own, of what the page prints.
    words: str
    meaning: str  # two short sentences that a pupil understands, percentages first
    signs: tuple[str, ...] = ()  # forms that are the same in every language
    marked: Marked = Marked.ANYWHERE
