"""Whole numbers to English words, and sums to their value.

Words are British: "and" before tens and ones, a hyphen in "twenty-one". A product binds more tightly than a
sum.
"""

from __future__ import annotations

import random

from models.corpus.generated.task import GeneratedTask, Options, option
from models.corpus.pairs import Pair

SMALL_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
    *("seventeen", "eighteen", "nineteen"),
)
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
OPERATORS = ("+", "-", "*")
THOUSANDS_NAMES = ("", "thousand", "million", "billion", "trillion")


def in_words(number: int) -> str:
    """1204 is "one thousand two hundred and four"; 1000004 is "one million and four". From 0 to 10^15 - 1."""
    if number < 1000:
        return _below_thousand(number)
    words = []
    for group in range(len(THOUSANDS_NAMES) - 1, 0, -1):
        count, number = divmod(number, 1000**group)
        if count:
            words.append(f"{_below_thousand(count)} {THOUSANDS_NAMES[group]}")
    if number:
        words.append(f"and {_below_hundred(number)}" if number < 100 else _below_thousand(number))
    return " ".join(words)


def _below_thousand(number: int) -> str:
    hundreds, remainder = divmod(number, 100)
    if not hundreds:
        return _below_hundred(remainder)
    return f"{SMALL_NUMBERS[hundreds]} hundred" + (f" and {_below_hundred(remainder)}" if remainder else "")


def _below_hundred(number: int) -> str:
    if number < len(SMALL_NUMBERS):
        return SMALL_NUMBERS[number]
    tens, ones = divmod(number, 10)
    return TENS[tens] + (f"-{SMALL_NUMBERS[ones]}" if ones else "")


def _number(rng: random.Random, most_digits: int) -> int:
    # The number of digits is drawn first; otherwise nine of ten numbers would have the most digits.
    digits = rng.randint(1, most_digits)
    return rng.randint(0 if digits == 1 else 10 ** (digits - 1), 10**digits - 1)


def _make_number(rng: random.Random, options: Options) -> Pair:
    number = _number(rng, options["digits"])
    commas = options["commas"] and rng.random() < 0.5
    return f"{number:,}" if commas else str(number), in_words(number)


def _possible_numbers(options: Options) -> int:
    numbers: int = 10 ** options["digits"]
    return numbers + (max(0, numbers - 1000) if options["commas"] else 0)


NUMBERS = GeneratedTask(
    name="numbers",
    title="Numbers to words",
    description="Spells a whole number in English words.",
    tokenizer="character",
    example=("1,204", "one thousand two hundred and four"),
    options=(
        option("digits", "Most digits", "The largest number is 10 to this power, less one.", 1, 15, 5),
        option("commas", "Commas", "1: half of the large numbers are written as 1,204. 0: none is.", 0, 1, 1),
    ),
    make=_make_number,
    sources=_possible_numbers,
)


def value(terms: list[int], operators: list[str]) -> int:
    """The value of terms[0] operators[0] terms[1] ..., products first."""
    summands = [terms[0]]
    for operator, term in zip(operators, terms[1:], strict=True):
        if operator == "*":
            summands[-1] *= term
        else:
            summands.append(term if operator == "+" else -term)
    return sum(summands)


def _make_sum(rng: random.Random, options: Options) -> Pair:
    terms = [_number(rng, options["digits"]) for _ in range(rng.randint(2, options["terms"]))]
    operators = [rng.choice(OPERATORS[: options["operators"]]) for _ in terms[1:]]
    signs = [*operators, ""]
    source = "".join(f"{term}{sign}" for term, sign in zip(terms, signs, strict=True))
    return source, str(value(terms, operators))


def _possible_sums(options: Options) -> int:
    numbers: int = 10 ** options["digits"]
    return sum(numbers**n * options["operators"] ** (n - 1) for n in range(2, options["terms"] + 1))


ARITHMETIC = GeneratedTask(
    name="arithmetic",
    title="Arithmetic",
    description="Works out a sum digit by digit, the first digit first.",
    tokenizer="character",
    example=("47+85", "132"),
    options=(
        option("digits", "Digits of a number", "The most digits a number may have.", 1, 6, 2),
        option("terms", "Numbers in a sum", "The most numbers a sum may have.", 2, 5, 2),
        option("operators", "Operators", "1: + alone; 2: + and -; 3: +, - and *.", 1, 3, 2),
    ),
    make=_make_sum,
    sources=_possible_sums,
)
