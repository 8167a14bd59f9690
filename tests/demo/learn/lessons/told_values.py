"""The numbers and texts that reveal the answer to a prediction, and the search for them in texts."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator, Sequence

from demo.learn.lessons.answers import model_answer
from demo.learn.lessons.facts import LessonState
from demo.learn.lessons.lesson import LessonStep, Prediction
from demo.learn.lessons.terms import TermError, fill_in_terms, value_of, value_text

NUMBER = re.compile(r"[−+-]?\d+(?:,\d{3})+(?:\.\d+)?|[−+-]?\d*\.?\d+(?:e[+−-]?\d+)?")
DISTINCT_DIGITS = 3  # a number with this many significant digits stands for nothing else on a page
MIN_COUNT = 10  # whole numbers below it stand for many things


def plain(text: str) -> str:
    """A text without the marks that only some views write: the space of a token, quotes, double spaces."""
    return " ".join(re.sub(r"[␣▁“”\"«»#]", " ", text).split())


def numbers_in(texts: Iterable[str]) -> list[tuple[float, int]]:
    """The numbers in texts with their decimals; also as a share of 1 where a percentage sign follows."""
    result = []
    for text in texts:
        for match in NUMBER.finditer(text):
            digits_text = match[0].replace("−", "-").replace(",", "").lstrip("+")
            mantissa, _, power = digits_text.lower().partition("e")
            decimals = len(mantissa.partition(".")[2]) - int(power or 0)
            value = float(digits_text)
            result.append((value, decimals))
            if text[match.end() :].lstrip()[:1] == "%":
                result.append((value / 100, decimals + 2))
    return result


def digits(value: float, decimals: int) -> int:
    """The significant digits with which a number is written."""
    return decimals + 1 + math.floor(math.log10(abs(value))) if value else 1


def shows_number(numbers: Sequence[tuple[float, int]], value: float, least: int) -> bool:
    """Whether one of the numbers is the value, rounded, with at least `least` significant digits."""
    return any(
        abs(number - value) <= 0.5000001 * 10.0**-decimals
        and (digits(number, decimals) >= least or (number == value and float(value).is_integer()))
        for number, decimals in numbers
    )


def says(text: str, value: float | str) -> bool:
    """Whether a text says a value: a phrase; a number with enough digits, or as a reveal writes it."""
    if isinstance(value, str):
        return re.search(rf"(?<!\w){re.escape(plain(value))}(?!\w)", plain(text)) is not None
    forms = [value_text(value, form) for form in ("", "short", "percent")]
    digits_text = {match[0] for match in re.finditer(rf"(?:{NUMBER.pattern})%?", text)}
    recognised = [form for form in forms if sum(map(str.isdigit, form.lstrip("−0."))) > 1]
    return shows_number(numbers_in([text]), value, DISTINCT_DIGITS) or not digits_text.isdisjoint(recognised)


def facts_of(term: str) -> Iterator[str]:
    """The terms of the single facts in a term: `a @ 2` and `a @ 1` in `a@2 - a@1`."""
    yield from _facts(ast.parse(term.strip(), mode="eval").body)


def _facts(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name() | ast.Call():
            yield ast.unparse(node)
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            yield from (f"{fact} @ {ast.unparse(right)}" for fact in _facts(left))
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _facts(child)


def single_value(term: str, state: LessonState) -> float | str | None:
    """The value of a term, or None if it is no number and no text."""
    try:
        value = value_of(term, state)
    except TermError:  # a fact that only its `@` completes
        return None
    return value if isinstance(value, int | float | str) else None


def question_of(step: LessonStep, state: LessonState) -> str:
    """The question with its options in English: what it says is no secret."""
    options = step.prediction.options if step.prediction else ()
    return " ".join([fill_in_terms(step.text["en"], state), *(option.text["en"] for option in options)])


def telling(step: LessonStep, state: LessonState) -> dict[str, float | str]:
    """The values that tell the answer of a step, by term, without those that its question names.

    Of a number it is the number, of other kinds the facts in the conditions of the options. Single tokens
    tell nothing, since a page is full of them.
    """
    assert step.prediction is not None
    question = question_of(step, state)
    values = {term: single_value(term, state) for term in _terms(step.prediction)}
    return {
        term: value
        for term, value in values.items()
        if value is not None and is_telling(value) and not says(question, value)
    }


def _terms(prediction: Prediction) -> list[str]:
    if prediction.kind == "number":
        return [prediction.answer]
    return list(
        dict.fromkeys(fact for option in prediction.options if option.term for fact in facts_of(option.term))
    )


def is_telling(value: float | str) -> bool:
    """Whether a reader who finds the value on a page would take it for this one."""
    if isinstance(value, str):
        return len(value.split()) > 1
    return not isinstance(value, bool) and (not float(value).is_integer() or abs(value) >= MIN_COUNT)


def right_option(step: LessonStep, state: LessonState) -> tuple[list[str], int]:
    """The options of a choice in English, and the index of the right one."""
    assert step.prediction is not None
    option_texts = [option.text["en"] for option in step.prediction.options]
    return option_texts or value_of(step.prediction.options_fact, state), model_answer(
        step.prediction, state
    )["answer"]
