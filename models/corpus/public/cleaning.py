"""The lines of published files as pairs, the number of lines left out for each reason, and three parts.

Files hold sentences in two languages, words with their pronunciations, or words of names in two scripts.
"""

from __future__ import annotations

import importlib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from models.corpus.pairs import DataError, Pair, clean_text, shuffled_keys

MAX_SENTENCE_TOKENS = 40  # source and target each
MAX_MALFORMED = 0.01  # share of the lines; a file with more has another format
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters, for patterns
_FULL_WIDTH = {",": "，", ".": "。", "?": "？", "!": "！", ":": "：", ";": "；"}
_HALF_MARK = re.compile(rf"(?<=[{HAN}”’」』）])[{re.escape(''.join(_FULL_WIDTH))}]")
_CHINESE = f"{HAN}，。？！：；、“”「」『』（）《》"
_INNER_SPACE = re.compile(f"(?<=[{_CHINESE}]) +(?=[{_CHINESE}])")
# The particle, and not the "zhù" of words such as 著名 and 显著, which keeps its character.
_PARTICLE = re.compile("(?<![显卓昭编专名原论遗巨土合])著(?![名作者称书述])")
_TOKEN = re.compile(rf"[{HAN}]|(?:(?![{HAN}])[^\W_])+(?:['’-](?:(?![{HAN}])[^\W_])+)*|[^\w\s]|_")
_STRAIGHT_QUOTES = str.maketrans({"‘": "'", "’": "'", "‛": "'", "“": '"', "”": '"', "„": '"'})
_ENTRY_LINE = re.compile(r"(\S+?)(?:\(\d+\))? ((?:[A-Z]{1,2}[0-2]? ?)+)")
_COMMENT = re.compile(r"\s*#.*")
_LOWER_CASE_WORD = re.compile("[a-z']+")
_STRESS_DIGIT = re.compile("[0-2]")
_LATIN_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*'?|'[^\W\d_]+")
_KANA_WORD = re.compile("[ァ-ヴー]+")
_NO_SYLLABLE = frozenset("ァィゥェォャュョッヮー")  # these characters add no syllable
MIN_LETTERS, MAX_LETTERS = 0.8, 5.0  # Latin letters per syllable of kana
SPLIT_SEED = 20240229
_MIN_TRAIN_RATIO = 8  # pairs of the training part for each pair of a held-out part


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


def simplifier() -> Callable[[str], str]:
    """Return a function that puts Chinese into simplified characters and one style of punctuation.

    Raises DataError if OpenCC is missing.
    """
    try:
        opencc = importlib.import_module("opencc")
    except ImportError as error:
        raise DataError(
            "opencc_missing",
            "eng-cmn needs OpenCC for its traditional characters: pip install -r "
            "models/corpus/public/requirements-data.txt",
        ) from error
    convert = opencc.OpenCC("t2s").convert

    def simplify(text: str) -> str:
        text = _PARTICLE.sub("着", convert(text))
        text = _HALF_MARK.sub(lambda mark: _FULL_WIDTH[mark.group()], text)
        return _INNER_SPACE.sub("", text)

    return simplify


def clean_sentences(text: str, name: str, second_language: str) -> Cleaner:
    """Tab-separated sentences: English, the other language and, in newer editions, an attribution."""
    cleaner = Cleaner(name)
    simplified = simplifier() if second_language == "cmn" else None
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


def clean_pronunciations(text: str, name: str) -> Cleaner:
    """Lines of a word, its phonemes in ARPAbet with stress digits, and perhaps a comment.

    Further pronunciations stand on lines of their own, as `word(2)`; they become further pairs.
    """
    cleaner = Cleaner(name)
    for line in cleaner.rows(text):
        if line.startswith(";;;"):
            continue
        entry = _ENTRY_LINE.fullmatch(_COMMENT.sub("", line).rstrip())
        if entry is None:
            cleaner.count_malformed(line, "a word, a space and its phonemes")
            continue
        word, phonemes = entry.groups()
        if not _LOWER_CASE_WORD.fullmatch(word):
            cleaner.drop("a word with a digit, a dot or a hyphen")
        elif len(word) == 1:
            cleaner.drop("a single letter")
        else:
            cleaner.add((word, _STRESS_DIGIT.sub("", phonemes)))
    return cleaner


def pronunciation_key(word: str) -> str:
    """The word without an apostrophe at its end: boys and boys' are one word."""
    return word.strip("'")


def clean_transliterations(text: str, name: str) -> Cleaner:
    """Lines of a Latin word, katakana with spaces between, and a count, with tabs between."""
    cleaner = Cleaner(name)
    for line in cleaner.rows(text):
        columns = line.split("\t")
        if len(columns) != 3 or not columns[2].strip().isdecimal() or not all(columns[:2]):
            cleaner.count_malformed(line, "a word, katakana with spaces between, and a count")
            continue
        latin = unicodedata.normalize("NFC", columns[0].strip()).lower()
        kana = unicodedata.normalize("NFC", "".join(columns[1].split()))
        if not _is_latin(latin) or not _KANA_WORD.fullmatch(kana):
            cleaner.drop("other characters")
        elif min(len(latin), len(kana)) == 1:
            cleaner.drop("a single character")
        elif not MIN_LETTERS <= len(latin) / max(1, syllables(kana)) <= MAX_LETTERS:
            cleaner.drop("lengths that do not fit")
        else:
            cleaner.add((latin, kana))
    return cleaner


def syllables(kana: str) -> int:
    """The number of syllables of a text in katakana; n counts as one."""
    return sum(character not in _NO_SYLLABLE for character in kana)


def _is_latin(word: str) -> bool:
    letters = (character for character in word if character != "'")
    return bool(_LATIN_WORD.fullmatch(word)) and all(
        "LATIN" in unicodedata.name(character, "") for character in letters
    )


@dataclass(frozen=True)
class Parts:
    """Three parts; the pairs of one source stand on consecutive lines, in the order of their file."""

    train: tuple[Pair, ...]
    valid: tuple[Pair, ...]
    test: tuple[Pair, ...]
    dropped: int  # pairs left out of training, since their target is in a held-out part


def split_parts(
    pairs: Sequence[Pair],
    held_out: int,
    key: Callable[[str], str],
    *,
    disjoint_targets: bool,
    seed: int = SPLIT_SEED,
) -> Parts:
    """Split pairs into three parts, with all pairs of a source in one part.

    held_out: the most pairs of the validation part and of the test part. key: texts with the same key count
    as the same. disjoint_targets: whether the parts must share no target. The result depends only on the
    texts and the seed. Raises DataError if there are too few pairs.
    """
    groups: defaultdict[str, list[Pair]] = defaultdict(list)
    for source, target in pairs:
        groups[key(source)].append((source, target))
    shuffled = shuffled_keys(groups, seed)
    size = min(held_out, len(pairs) // (_MIN_TRAIN_RATIO + 2))
    targets_of: dict[str, set[str]] = {"test": set(), "valid": set()}  # targets of each part
    parts: dict[str, list[Pair]] = {"test": [], "valid": []}
    assigned: set[str] = set()
    for part, pairs_of_part in parts.items():
        other_targets = set().union(*(targets for name, targets in targets_of.items() if name != part))
        for name in shuffled:
            targets = {key(target) for _, target in groups[name]} if disjoint_targets else set()
            if name in assigned or len(pairs_of_part) + len(groups[name]) > size or targets & other_targets:
                continue
            assigned.add(name)
            targets_of[part] |= targets
            pairs_of_part += sorted(groups[name], key=lambda pair: pair[0])
            if len(pairs_of_part) == size:
                break
    held_out_targets = targets_of["test"] | targets_of["valid"]
    remaining = [
        pair
        for name in shuffled
        if name not in assigned
        for pair in sorted(groups[name], key=lambda pair: pair[0])
    ]
    train = [pair for pair in remaining if not disjoint_targets or key(pair[1]) not in held_out_targets]
    if not all((train, *parts.values())):
        raise DataError(
            "too_few_pairs",
            "{count} pairs are too few for training, validation and testing: download them again",
            count=len(pairs),
        )
    return Parts(tuple(train), tuple(parts["valid"]), tuple(parts["test"]), len(remaining) - len(train))
