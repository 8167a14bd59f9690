"""Finds the tokens that are pieces of one word, so that views can show words instead of tokens.

It knows the spellings of the tokenizers: `▁` before a word (BPE, Unigram) and `##` before a further piece
(WordPiece). Where neither occurs, each token is a word or a single character.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from demo.i18n.display import METASPACE
from models.decoding.trace import DecodingTrace, Token

PIECE = "##"
CONTINUES, OPEN = 1, 2  # a piece that can follow another; a piece that another can follow


def surface_flags(surfaces: Iterable[str]) -> dict[str, int]:
    """CONTINUES | OPEN by spelling, without spellings that have neither; empty if no token is a piece."""
    surfaces = set(surfaces)
    spaced = any(surface.startswith(METASPACE) for surface in surfaces)
    pieced = any(surface.startswith(PIECE) for surface in surfaces)
    if not spaced and not pieced:
        return {}
    flags = {surface: _flags(surface, spaced) for surface in surfaces}
    return {surface: flag for surface, flag in sorted(flags.items()) if flag}


def _flags(surface: str, spaced: bool) -> int:
    if surface.startswith("<") and surface.endswith(">") and len(surface) > 2:
        return 0  # a special token is never part of a word
    if spaced:
        bare, further = surface.removeprefix(METASPACE), not surface.startswith(METASPACE)
    else:
        bare, further = surface.removeprefix(PIECE), surface.startswith(PIECE)
    if not bare:
        return OPEN if surface.startswith(METASPACE) else 0  # a space alone, as before a rare word
    return (CONTINUES if further and _in_word(bare[0]) else 0) | (OPEN if _in_word(bare[-1]) else 0)


def source_starts(source: Sequence[Token]) -> list[bool]:
    """Whether a word starts with each source token, by its spelling."""
    flags = surface_flags(token.surface for token in source)
    starts = []
    for index, token in enumerate(source):
        joins = flags.get(token.surface, 0) & CONTINUES and flags.get(source[index - 1].surface, 0) & OPEN
        starts.append(index == 0 or not joins)
    return starts


def can_merge(trace: DecodingTrace) -> bool:
    """Whether any word of the source or of a recorded path has several pieces."""
    if not all(source_starts(trace.source)):
        return True
    flags = surface_flags(node.token for node in trace.nodes.values())
    return any(
        flags.get(node.token, 0) & CONTINUES
        and node.parent is not None
        and flags.get(trace.nodes[node.parent].token, 0) & OPEN
        for node in trace.nodes.values()
    )


def _in_word(character: str) -> bool:
    # An apostrophe, a hyphen or an accent within a word joins; any other mark stands alone.
    return character.isalnum() or character in "'’-" or unicodedata.category(character).startswith("M")
