"""Another number: if the translation stays the same, the network ignored it."""

from __future__ import annotations

import re
import unicodedata
from random import Random

from models.evaluation.counterfactuals.counterfactual import Counterfactual, apply_edits

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
    position=70,
    title="another number",
    sentence="One number becomes another of as many digits.",
    keeps_meaning=False,
    change=change_number,
)
