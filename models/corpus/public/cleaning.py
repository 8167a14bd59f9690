"""The lines of published files as pairs, and the number of lines left out for each reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from models.corpus.pairs import DataError, Pair, clean_text
from models.corpus.public.chinese import HAN, simplifier

MAX_SENTENCE_TOKENS = 40  # source and target each
MAX_MALFORMED = 0.01  # share of the lines; a file with more has another format
_TOKEN = re.compile(rf"[{HAN}]|(?:(?![{HAN}])[^\W_])+(?:['’-](?:(?![{HAN}])[^\W_])+)*|[^\w\s]|_")
_STRAIGHT_QUOTES = str.maketrans({"‘": "'", "’": "'", "‛": "'", "“": '"', "”": '"', "„": '"'})


class Cleaner:
    """Gathers different pairs, and counts the lines and the pairs that are left out."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines = 0
        self.dropped: Counter[str] = Counter()
        self._pairs: dict[Pair, None] = {}
        self._malformed = 0
        self._first_malformed = ""

    def add(self, pair: Pair) -> None:
        """Add a pair, in the order of the file."""
        if pair in self._pairs:
            self.drop("the same pair again")
        else:
            self._pairs[pair] = None

    def drop(self, reason: str) -> None:
        """Count a pair that is left out."""
        self.dropped[reason] += 1

    def count_malformed(self, line: str, expected: str) -> None:
        """Count the latest line as malformed; `expected` describes a right one."""
        self._first_malformed = (
            self._first_malformed or f"line {self.lines} should be {expected}, but is {line[:60]!r}"
        )
        self._malformed += 1
        self.drop("not in the format of the file")

    def rows(self, text: str) -> Iterable[str]:
        """The lines that are not blank, counted."""
        for line in text.split("\n"):
            if line.strip():
                self.lines += 1
                yield line

    def pairs(self) -> tuple[Pair, ...]:
        """All pairs. Raises DataError if there are none, or if the file has another format."""
        if self._malformed > MAX_MALFORMED * self.lines:
            raise DataError(
                "publisher_changed_format",
                "{name} is not in the format that is expected: {problem}. Its publisher may have "
                "changed it; fetch an older edition, or a newer Unrolled",
                name=self.name,
                problem=self._first_malformed,
            )
        if not self._pairs:
            raise DataError("archive_without_pair", "{name} holds no pair: download it again", name=self.name)
        return tuple(self._pairs)


def normalize_sentence(text: str, *, straight_quotes: bool = True) -> str:
    """The sentence in NFC: single plain spaces, nothing invisible, straight quotes, hyphens for en dashes."""
    text = clean_text(text).replace("–", "-")
    return text.translate(_STRAIGHT_QUOTES) if straight_quotes else text


def tokens(text: str) -> list[str]:
    """Words with their inner apostrophes and hyphens, Han characters, and marks."""
    return _TOKEN.findall(text)


def key(text: str) -> str:
    """A sentence in lower case without marks and extra spaces; unchanged if it has only marks."""
    words = [token for token in tokens(text.casefold()) if token[0].isalnum()]
    return " ".join(words) or text


def clean_sentences(text: str, name: str, second_language: str) -> Cleaner:
    """Tab-separated sentences: English, the other language and, in newer editions, an attribution."""
    cleaner = Cleaner(name)
    simplified = None
    if second_language == "cmn":
        simplified = simplifier()
    for line in cleaner.rows(text):
        columns = line.split("\t")
        if len(columns) not in {2, 3} or not all(column.strip() for column in columns[:2]):
            cleaner.count_malformed(line, "two sentences with a tab between, and perhaps an attribution")
            continue
        english = normalize_sentence(columns[0])
        other = normalize_sentence(columns[1], straight_quotes=simplified is None)
        if simplified is not None:
            other = simplified(other)
        if not english or not other:
            cleaner.drop("no text")
        elif english == other:
            cleaner.drop("a copy of its source")
        elif max(len(tokens(english)), len(tokens(other))) > MAX_SENTENCE_TOKENS:
            cleaner.drop(f"more than {MAX_SENTENCE_TOKENS} tokens")
        else:
            cleaner.add((english, other))
    return cleaner
