"""A pair of texts, and what is wrong with data."""

from __future__ import annotations

from dataclasses import dataclass

from models.errors import UnrolledError

Pair = tuple[str, str]


class DataError(UnrolledError, ValueError):
    """Data that cannot be used; the message names the file and line."""


@dataclass(frozen=True)
class Split:
    """Training and validation pairs that share no source."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]
    note: str = ""  # a sentence for the user where the split is not as asked
