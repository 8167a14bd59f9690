"""Pairs of texts: generated, or read from files; and the batches made of them."""

from __future__ import annotations

import gzip
import random
import string
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from models.training.config import DataConfig

Pair = tuple[str, str]


class DataError(ValueError):
    """Data that cannot be trained on; the message names the file and line."""


@dataclass(frozen=True)
class Corpus:
    """Training and validation pairs, source first."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]


def load_corpus(config: DataConfig, folder: Path, seed: int) -> Corpus:
    """The pairs of a task. Raises DataError."""
    if config.task == "reversal":
        rng = random.Random(seed)
        pairs = [_reversal_pair(rng) for _ in range(config.train_size + config.valid_size)]
        return Corpus(tuple(pairs[config.valid_size :]), tuple(pairs[: config.valid_size]))
    train, valid = (read_pairs(folder / name, config.swap) for name in (config.train, config.valid))
    return Corpus(train, valid)


def _reversal_pair(rng: random.Random, longest: int = 12) -> Pair:
    text = "".join(rng.choices(string.ascii_lowercase, k=rng.randint(1, longest)))
    return text, text[::-1]


def read_pairs(path: Path, swap: bool = False) -> tuple[Pair, ...]:
    """Two tab-separated columns, UTF-8, gzip by suffix. Raises DataError with the line number."""
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        lines = content.decode("utf-8").split("\n")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read: {error}") from error
    pairs = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        columns = [unicodedata.normalize("NFC", column.strip()) for column in line.split("\t")]
        if len(columns) != 2 or not all(columns):
            raise DataError(f"{path.name}, line {number}: expected two tab-separated texts, got {line[:60]!r}")
        pairs.append((columns[1], columns[0]) if swap else (columns[0], columns[1]))
    if not pairs:
        raise DataError(f"{path} holds no pair")
    return tuple(pairs)


def as_people_type(text: str, rng: random.Random) -> str:
    """The text without its capitals, its final mark or its accents, as in a chat: each at random."""
    if rng.random() < 0.7:
        text = text[:1].lower() + text[1:] if rng.random() < 0.5 else text.lower()
    if rng.random() < 0.5:
        text = text.rstrip(".!?").lstrip("¿¡") or text
    if rng.random() < 0.3:
        # Spanish ñ is a letter of its own, and people do type it.
        kept = text.replace("ñ", "\0").replace("Ñ", "\1")
        bare = "".join(c for c in unicodedata.normalize("NFD", kept) if not unicodedata.combining(c))
        text = bare.replace("\0", "ñ").replace("\1", "Ñ")
    return text


def bucketed(
    sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], batch_tokens: int, rng: random.Random
) -> Iterator[list[int]]:
    """Indices of each batch: pairs of like length, at most `batch_tokens` padded tokens on either side."""
    order = list(range(len(sources)))
    rng.shuffle(order)
    order.sort(key=lambda i: (len(targets[i]), len(sources[i])))
    batches: list[list[int]] = [[]]
    longest = 0
    for i in order:
        longest = max(longest, len(targets[i]), len(sources[i]))
        if batches[-1] and longest * (len(batches[-1]) + 1) > batch_tokens:
            batches.append([])
            longest = max(len(targets[i]), len(sources[i]))
        batches[-1].append(i)
    rng.shuffle(batches)
    return iter(batches)
