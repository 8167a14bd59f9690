"""Nonsense, another name or number: if the translation stays the same, the network ignored it."""

from __future__ import annotations

import re
import unicodedata
from itertools import cycle, islice
from random import Random

from models.evaluation.counterfactuals.counterfactual import Counterfactual, apply_edits
from models.evaluation.counterfactuals.words import APOSTROPHES, TextWord, clusters, is_plain, words

MIN_WORD_LETTERS = 4  # most combinations of three letters are words of some language
# Groups of letters that alternate in a nonsense word, by script. Han is left out: no new characters exist.
LETTERS_OF_SCRIPT = {
    "LATIN": ("bdfgklmnprstvz", "aeiou"),
    "CYRILLIC": ("бвгдзклмнпрст", "аеиоу"),
    "GREEK": ("βγδζκλμνπρτφ", "αεηιου"),
    "ARABIC": ("بتجدرزسشفكلمن", "اوي"),
    "HEBREW": ("בגדזטלמנפרשת", "וי"),
    "KATAKANA": ("カキクケサスセタテナニネノハヒフヘホマミムメモラリルレロ",),
}
_MAX_TRIES = 100


def replace_by_nonsense(text: str, rng: Random) -> str | None:
    """Replace a word of four letters or more by nonsense of the same length, script and capitals."""
    text_words = words(text)
    fitting = [word for word in text_words if word.script in LETTERS_OF_SCRIPT and is_plain(text, word)]
    fitting = [word for word in fitting if len(clusters(word.spelling(text))) >= MIN_WORD_LETTERS]
    if not fitting:
        return None
    word = rng.choice(fitting)
    existing = {other.spelling(text).lower() for other in text_words}
    candidates = (_nonsense(text, word, rng) for _ in range(_MAX_TRIES))
    nonsense_word = next((nonsense for nonsense in candidates if nonsense.lower() not in existing), None)
    return apply_edits(text, [(word.start, word.end, nonsense_word)]) if nonsense_word else None


def _nonsense(text: str, word: TextWord, rng: Random) -> str:
    old_letters = clusters(word.spelling(text))
    letter_groups = LETTERS_OF_SCRIPT[word.script]
    first = rng.randrange(len(letter_groups))
    letters = [rng.choice(kind) for kind in islice(cycle(letter_groups), first, first + len(old_letters))]
    return "".join(
        letter.upper() if cluster[0].isupper() else letter
        for letter, cluster in zip(letters, old_letters, strict=True)
    )


UNSEEN_WORD = Counterfactual(
    "unseen-word",
    50,
    "word never seen",
    "One word becomes a nonsense word of the same length.",
    replace_by_nonsense,
    keeps_meaning=False,
)


# Names that many languages share, by script. Without capitals, names look like other words.
SHARED_NAMES = {
    "LATIN": ("Anna", "Daniel", "David", "Laura", "Lisa", "Maria", "Martin", "Oscar", "Robert", "Sara"),
    "CYRILLIC": ("Анна", "Борис", "Вера", "Иван", "Лев", "Мария", "Олег", "Ольга", "Павел", "Роман"),
    "GREEK": ("Άννα", "Γιώργος", "Ελένη", "Κώστας", "Μαρία", "Νίκος", "Πέτρος", "Σοφία"),
}
# Months, days and forms of address have capitals too, but a name cannot replace them.
_NO_NAME_WORDS = """
    January February March April May June July August September October November December
    Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mr Mrs Ms Dr Prof Sr Sra Don Doña
"""
NO_NAMES = frozenset(_NO_NAME_WORDS.split())
_OPENING_MARKS = " \t\"'«“„‘(["  # they may stand before the first word of a sentence
_SENTENCE_ENDS = ".!?…:;¿¡\n"


def swap_name(text: str, rng: Random) -> str | None:
    """Replace one capitalised word by another name wherever it occurs; None if no sentence has one inside."""
    text_words = words(text)
    inside = [_name(text, word) for word in text_words if not _begins_sentence(text, word)]
    names = list(dict.fromkeys(name for name in inside if name))
    if not names:
        return None
    old_name = rng.choice(names)
    script = next(word.script for word in text_words if _name(text, word) == old_name)
    present = {name for word in text_words if (name := _name(text, word))}
    candidates = [name for name in SHARED_NAMES[script] if name not in present]
    if not candidates:
        return None
    new_name = rng.choice(candidates)
    occurrences = (word for word in text_words if _name(text, word) == old_name)
    return apply_edits(text, [(word.start, word.start + len(old_name), new_name) for word in occurrences])


def _name(text: str, word: TextWord) -> str | None:
    """The part of a capitalised word before an apostrophe: Tom of Tom's; None for other words."""
    stem = word.spelling(text)
    for apostrophe in APOSTROPHES:
        stem = stem.partition(apostrophe)[0]
    capitalised = len(stem) > 1 and stem[0].isupper() and not stem[1:].isupper() and stem[-1].isalpha()
    return stem if capitalised and word.script in SHARED_NAMES and stem not in NO_NAMES else None


def _begins_sentence(text: str, word: TextWord) -> bool:
    """Whether the word begins a sentence. Its capital does not show a name then."""
    before = text[: word.start].rstrip(_OPENING_MARKS)
    return not before or before[-1] in _SENTENCE_ENDS


NAME_SWAPPED = Counterfactual(
    "name-swapped",
    60,
    "another name",
    "A capitalised word inside the sentence becomes another name.",
    swap_name,
    keeps_meaning=False,
)


_DIGIT_RUNS = re.compile(r"\d+")
_ORDINAL = re.compile(r"(?i:st|nd|rd|th)\b")
# (lowest, highest, values that replace them): a month stays a month, and a day is in every month.
_ALTERNATIVES = ((1, 12, range(1, 13)), (13, 31, range(13, 29)))


def change_number(text: str, rng: Random) -> str | None:
    """Replace one number by another of as many digits in the same script."""
    numbers = list(_DIGIT_RUNS.finditer(text))
    if not numbers:
        return None
    match = rng.choice(numbers)
    old = "".join(str(unicodedata.decimal(digit)) for digit in match[0])
    # Python refuses to convert thousands of digits to int, so a long number is changed as a text.
    new = _small(old, rng) if len(old) <= 2 else _large(old, rng)
    zeros = (ord(digit) - unicodedata.decimal(digit) for digit in match[0])
    digits = [(zero, int(digit)) for zero, digit in zip(zeros, new, strict=True)]
    end, number = match.end(), "".join(chr(zero + digit) for zero, digit in digits)
    if ordinal := _ORDINAL.match(text, end):
        end, number = ordinal.end(), number + _suffix(new, ordinal[0])
    return apply_edits(text, [(match.start(), end, number)])


def _small(old: str, rng: Random) -> str:
    """Another number of one or two digits."""
    value = int(old)
    alternatives = next((values for low, high, values in _ALTERNATIVES if low <= value <= high), None)
    if alternatives is None:
        alternatives = range(1, 10) if value == 0 else range(value - value % 10, value - value % 10 + 10)
    fitting = [other for other in alternatives if other != value and len(str(other)) <= len(old)]
    return str(rng.choice(fitting)).zfill(len(old))


def _large(old: str, rng: Random) -> str:
    """Another number of as many digits, three or more, that differs in the last two."""
    tail = rng.choice([other for other in range(100) if other != int(old[-2:])])
    return f"{old[:-2]}{tail:02}"


def _suffix(number: str, like: str) -> str:
    """The English ending of an ordinal: 1st, 2nd, 3rd, 4th, 11th."""
    teen = number[-2:-1] == "1"
    ending = "th" if teen else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")
    return ending.upper() if like.isupper() else ending


NUMBER_CHANGED = Counterfactual(
    "number-changed",
    70,
    "another number",
    "One number becomes another of as many digits.",
    change_number,
    keeps_meaning=False,
)
