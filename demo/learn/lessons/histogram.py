"""Counts of a class's predictions, and the check that a prediction has the form of its question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from demo.learn.lessons.lesson import LessonStep, Prediction
from demo.work.requests.checks import RequestError

MAX_BINS = 12
ROUND = (1, 2, 5)  # the widths of bins, times a power of ten
MAX_PLACES = 200  # positions of an order or a drawing
MAX_OPTIONS = 60
MAX_NUMBER = 1e9  # the greatest number of a guess or of a drawn point
MAX_CHARACTERS = 40  # the most characters of a typed guess
MAX_TEXTS = 12  # different typed guesses that are shown


def prediction_of(step: LessonStep) -> Prediction:
    """Return the prediction that a step wants. Raises RequestError if it wants none."""
    if step.prediction is None:
        raise RequestError("nothing_to_predict", "There is nothing to predict in this step.")
    return step.prediction


def checked_guess(prediction: Prediction, guess: object) -> Any:
    """Return a prediction in the form of its question. Raises RequestError."""
    if prediction.kind == "choose" and _is_option(guess):
        return guess
    if prediction.kind == "number" and _is_number(guess) and prediction.low <= guess <= prediction.high:  # type: ignore[operator]
        return guess
    if prediction.kind == "type" and isinstance(guess, str) and len(guess) <= MAX_CHARACTERS:
        text = " ".join(guess.split())
        if text and text.isprintable():
            return text
    if isinstance(guess, list) and 0 < len(guess) <= MAX_PLACES:
        fits = {"order": _is_option, "draw": _is_number}.get(prediction.kind)
        if fits is not None and all(map(fits, guess)):
            return list(guess)
    raise RequestError("no_such_answer", "This is not an answer to the question of this step.")


def bins(prediction: Prediction) -> list[tuple[float, float]]:
    """Return the first and the last number of each bin of a range.

    A bin holds 1, 2, 5, 10, 20 … of the numbers that a reader can choose, and the last one may hold fewer.
    So the bins of whole numbers begin and end with whole numbers.
    """
    last = _index(prediction, prediction.high)
    width = _width(last + 1)
    return [
        (_number(prediction, first), _number(prediction, min(first + width - 1, last)))
        for first in range(0, last + 1, width)
    ]


def bin_of(prediction: Prediction, value: float) -> int | None:
    """Return the index of a number's bin; None outside the range."""
    if not prediction.low <= value <= prediction.high:
        return None
    return _index(prediction, value) // _width(_index(prediction, prediction.high) + 1)


def _width(count: int) -> int:
    """Return how many of `count` neighbouring numbers a bin holds."""
    power = int(10 ** max(0, math.floor(math.log10(count / MAX_BINS))))
    return next(
        width
        for factor in (power, 10 * power)
        for width in (factor * digit for digit in ROUND)
        if math.ceil(count / width) <= MAX_BINS
    )


def _index(prediction: Prediction, value: float) -> int:
    """Return the position of a number's nearest neighbour among those that a reader can choose."""
    return math.floor((value - prediction.low) / prediction.resolution + 0.5)


def _number(prediction: Prediction, index: int) -> float:
    value = round(float(prediction.low + index * prediction.resolution), 2)
    return int(value) if value.is_integer() else value


def count_guesses(prediction: Prediction, guesses: Sequence[Any]) -> list[int]:
    """Return counts: of each option, of each bin of a range, or of each line that was put first.

    Drawings and typed guesses have no counts: see `drawn_counts` and `typed_counts`.
    """
    if prediction.kind in {"draw", "type"}:
        return []
    if prediction.kind == "number":
        result = Counter(bin_of(prediction, guess) for guess in guesses)
        return [result[index] for index in range(len(bins(prediction)))]
    counts = Counter(guess if prediction.kind == "choose" else guess[0] for guess in guesses)
    count = max(len(prediction.options), max(counts, default=0) + 1)
    return [counts[index] for index in range(count)]


def fold(text: str) -> str:
    """Return a word without its space sign and in lower case, as guesses and tokens are compared."""
    return text.removeprefix("␣").strip().casefold()


def typed_counts(guesses: Sequence[str]) -> list[dict[str, Any]]:
    """Return the `text` of each typed guess as it was first typed, and its `count`, the greatest first."""
    counts = Counter(map(fold, guesses))
    first = {fold(guess): guess for guess in reversed(guesses)}
    return [{"text": first[text], "count": count} for text, count in counts.most_common(MAX_TEXTS)]


def drawn_counts(prediction: Prediction, guesses: Sequence[Sequence[float]]) -> list[dict[str, float]]:
    """Return, for each position of a drawing, the class's `value` and the `count` of those who drew it.

    The value is the median of each point of a curve, or the cell of a row that most marked in an alignment.
    """
    lengths = Counter(map(len, guesses))
    length = lengths.most_common(1)[0][0] if guesses else 0  # others were sent by a script
    columns = list(zip(*(guess for guess in guesses if len(guess) == length), strict=True))
    if prediction.low < prediction.high:
        return [{"value": round(median(answers), 1), "count": len(answers)} for answers in columns]
    marked = [max(sorted(Counter(answers).items()), key=lambda item: item[1]) for answers in columns]
    return [{"value": value, "count": count} for value, count in marked]


def of_class(prediction: Prediction, guesses: Sequence[Any]) -> Mapping[str, Any]:
    """Return the chart of a class's predictions, in the form of their question."""
    result: dict[str, Any] = {"counts": count_guesses(prediction, guesses)}
    if prediction.kind == "number":
        result["bins"] = bins(prediction)
    elif prediction.kind == "draw":
        result["drawn"] = drawn_counts(prediction, guesses)
    elif prediction.kind == "type":
        result["typed"] = typed_counts(guesses)
    return result


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_NUMBER


def _is_option(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MAX_OPTIONS
