"""Sums of whole numbers and their value; a product binds more tightly than a sum."""

from __future__ import annotations

import random

from models.corpus.generated.task import GeneratedTask, Options, option
from models.corpus.pairs import Pair

OPERATORS = ("+", "-", "*")


def value(terms: list[int], operators: list[str]) -> int:
    """The value of terms[0] operators[0] terms[1] ..., products first."""
    summands = [terms[0]]
    for operator, term in zip(operators, terms[1:], strict=True):
        if operator == "*":
            summands[-1] *= term
        else:
            summands.append(term if operator == "+" else -term)
    return sum(summands)


def _make(rng: random.Random, options: Options) -> Pair:
    terms = [_term(rng, options["digits"]) for _ in range(rng.randint(2, options["terms"]))]
    operators = [rng.choice(OPERATORS[: options["operators"]]) for _ in terms[1:]]
    signs = [*operators, ""]
    source = "".join(f"{term}{sign}" for term, sign in zip(terms, signs, strict=True))
    return source, str(value(terms, operators))


def _term(rng: random.Random, longest: int) -> int:
    digits = rng.randint(1, longest)
    return rng.randint(0 if digits == 1 else 10 ** (digits - 1), 10**digits - 1)


def _sources(options: Options) -> int:
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
    make=_make,
    sources=_sources,
)
