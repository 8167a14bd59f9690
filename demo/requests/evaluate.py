"""Pairs that a program asks to be evaluated, checked. Knows no Gradio, and loads no torch."""

from __future__ import annotations

from collections.abc import Sequence

from demo.operator.caps import MAX_CHARACTERS
from demo.requests.checks import RequestError, check_short_text
from models.corpus.pairs import Pair
from models.errors import not_texts
from models.tokenization.plain_text import plain

MAX_PAIRS = 200  # of one request


def checked_pairs(sources: object, references: object) -> tuple[Pair, ...]:
    """Pairs of two lists of texts. Raises RequestError unless there is one reference for each source."""
    lists = [_texts("sources", sources), _texts("references", references)]
    if len(lists[0]) != len(lists[1]):
        raise RequestError(
            "sources_without_references",
            "There are {sources} sources and {references} references. Give one for each.",
            sources=len(lists[0]),
            references=len(lists[1]),
        )
    if not 1 <= len(lists[0]) <= MAX_PAIRS:
        count = len(lists[0])
        raise RequestError(
            "pair_count_out_of_range",
            "Give 1 to {most} pairs; these are {count}.",
            most=MAX_PAIRS,
            count=f"{count:,}",
        )
    for number, pair in enumerate(zip(*lists, strict=True), 1):
        if not all(map(plain, pair)):
            raise RequestError(
                "pair_lacks_text", "Pair {number} lacks a text. Fill it in or leave it out.", number=number
            )
    return tuple(zip(lists[0], lists[1], strict=True))


def _texts(name: str, value: object) -> Sequence[str]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise RequestError(not_texts(name, value))
    for number, text in enumerate(value[:MAX_PAIRS], 1):
        check_short_text(f"text {number} of {name}", text, MAX_CHARACTERS)
    return value
