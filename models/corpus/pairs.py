"""A pair of texts, and the error for data that cannot be used."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from models.errors import UnrolledError
from models.tokenization.plain_text import plain_text

Pair = tuple[str, str]


class DataError(UnrolledError, ValueError):
    """Data that cannot be used; the message names the file and line."""


@dataclass(frozen=True)
class Split:
    """Training and validation pairs that share no source."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]
    note: str = ""  # a sentence for the user if the split differs from the request


def clean_text(text: str) -> str:
    """A text as training and evaluation use it: plain, on one line, in NFC."""
    return unicodedata.normalize("NFC", plain_text(text))


def by_source(pairs: Iterable[Pair]) -> dict[str, list[str]]:
    """Each source once, in order, with its different references. Every measurement on a test set uses it."""
    grouped: dict[str, list[str]] = {}
    for source, reference in pairs:
        references = grouped.setdefault(source, [])
        if reference not in references:
            references.append(reference)
    return grouped
