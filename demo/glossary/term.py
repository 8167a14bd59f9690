"""One word of the glossary."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """A word and what it means; both are keys of the translations."""

    words: str  # its name, then the other forms by which it is known on the page, parted by |
    meaning: str  # in two short sentences that a pupil understands, percentages first
    signs: tuple[str, ...] = ()  # forms that are the same in every language
