"""A pair of texts, and the reader of the project's own corpus files."""

from __future__ import annotations

import gzip
import unicodedata
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from models.errors import UnrolledError, cannot_be_read
from models.tokenization.plain_text import plain

Pair = tuple[str, str]


class DataError(UnrolledError, ValueError):
    """Data that cannot be used; the message names the file and line."""


@dataclass(frozen=True)
class Split:
    """Training and validation pairs that share no source."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]
    note: str = ""  # a sentence for the user where the split is not as asked


def cleaned(text: str) -> str:
    """A text as training and evaluation use it: plain, on one line, in NFC."""
    return unicodedata.normalize("NFC", plain(text))


def by_source(pairs: Iterable[Pair]) -> dict[str, list[str]]:
    """Each source once, in order, with its references, each once: how a test set is measured everywhere."""
    grouped: dict[str, list[str]] = {}
    for source, reference in pairs:
        references = grouped.setdefault(source, [])
        if reference not in references:
            references.append(reference)
    return grouped


def read_pairs(path: Path, swap: bool = False) -> tuple[Pair, ...]:
    """Two tab-separated columns, UTF-8, gzip by suffix. Raises DataError with the line number."""
    return tuple(read_numbered(path, swap).values())


def read_numbered(path: Path, swap: bool = False) -> dict[int, Pair]:
    """As `read_pairs`, by their lines, the first being 1. Raises DataError."""
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        lines = content.decode("utf-8-sig").split("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise DataError(cannot_be_read(str(path), error)) from error
    pairs: dict[int, Pair] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        columns = list(map(cleaned, line.split("\t")))
        if len(columns) != 2 or not all(columns):
            raise DataError(
                "no_pair_in_line",
                "{name}, line {line}: expected two tab-separated texts, got {text}",
                name=path.name,
                line=number,
                text=repr(line[:60]),
            )
        pairs[number] = (columns[1], columns[0]) if swap else (columns[0], columns[1])
    if not pairs:
        raise DataError("no_pair_in_file", "{file} holds no pair", file=path)
    return pairs
