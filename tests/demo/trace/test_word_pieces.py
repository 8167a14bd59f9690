"""Pieces of words, recognised by the spelling of each tokenizer only."""

from __future__ import annotations

import itertools

import pytest

from demo.trace.payload import CONTINUES, OPEN, can_merge, source_starts, surface_flags
from models.decoding.trace import DecodingTrace, Token
from tests.fakes.traces import library_trace


def groups(surfaces: list[str]) -> list[str]:
    """The spellings with a bar at the start of each word."""
    flags = surface_flags(surfaces)
    words = [surfaces[0]]
    for before, surface in itertools.pairwise(surfaces):
        joins = flags.get(surface, 0) & CONTINUES and flags.get(before, 0) & OPEN
        words[-1:] = [f"{words[-1]} {surface}"] if joins else [words[-1], surface]
    return words


@pytest.mark.parametrize(
    ("surfaces", "words"),
    [
        (["▁The", "▁lib", "rar", "y", ".", "</s>"], ["▁The", "▁lib rar y", ".", "</s>"]),
        (["▁", "Zan", "zibar", "▁is"], ["▁ Zan zibar", "▁is"]),  # a lone space before a rare word
        (["▁doesn", "'", "t", "!"], ["▁doesn ' t", "!"]),
        (["▁¿", "Dónde", "▁está", "?"], ["▁¿", "Dónde", "▁está", "?"]),
        (["lib", "##rar", "##y", ".", "a"], ["lib ##rar ##y", ".", "a"]),  # WordPiece
        (["▁a", "<unk>", "b"], ["▁a", "<unk>", "b"]),
        (["a", "b", "c", "</s>"], ["a", "b", "c", "</s>"]),  # characters are no pieces of words
        (["the", "house", "."], ["the", "house", "."]),  # words already
        (["▁2", "0", "2", "1"], ["▁2 0 2 1"]),
        (["▁cafe", "\u0301", "s"], ["▁cafe \u0301 s"]),  # an accent of its own
    ],
)
def test_pieces_are_joined_and_marks_are_words(surfaces: list[str], words: list[str]) -> None:
    assert groups(surfaces) == words


def source(*surfaces: str) -> tuple[Token, ...]:
    return tuple(Token(index, surface) for index, surface in enumerate(surfaces))


def test_the_first_token_always_starts_a_word() -> None:
    assert source_starts(source("lo", "▁mun", "do", "</s>")) == [True, True, False, True]
    assert source_starts(()) == []


def test_a_trace_of_whole_words_has_nothing_to_merge() -> None:
    trace = DecodingTrace("c", "", source("a", "b", "</s>"), "beam", {}, (), ())
    assert not can_merge(trace)
    assert can_merge(DecodingTrace("c", "", source("▁a", "b", "</s>"), "beam", {}, (), ()))


def test_the_pieces_of_an_output_are_enough_to_merge() -> None:
    surfaces = {node.token for node in library_trace().nodes.values()}
    assert can_merge(library_trace()) == any(flag & CONTINUES for flag in surface_flags(surfaces).values())
