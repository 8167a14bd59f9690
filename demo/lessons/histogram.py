"""Counts of a class's predictions, and the check that a prediction has the form of its question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from demo.lessons.lesson import LessonStep, Prediction
from demo.requests.checks import RequestError

BINS = 10
MAX_PLACES = 200  # positions of an order or a drawing
MAX_OPTIONS = 60
MAX_NUMBER = 1e9  # greatest number or point: above any axis, and its double is finite


def prediction_of(step: LessonStep) -> Prediction:
    """Return the prediction that a step wants. Raises RequestError if it wants none."""
    if step.prediction is None:
        raise RequestError("nothing_to_predict", "There is nothing to predict in this step.")
    return step.prediction


def checked_guess(prediction: Prediction, guess: object) -> Any:
    """Return a prediction in the form of its question. Raises RequestError."""
    if prediction.kind == "choose" and _is_place(guess):
        return guess
    if prediction.kind == "number" and _is_number(guess) and prediction.low <= guess <= prediction.high:  # type: ignore[operator]
        return guess
    if isinstance(guess, list) and 0 < len(guess) <= MAX_PLACES:
        fits = {"order": _is_place, "draw": _is_number}.get(prediction.kind)
        if fits is not None and all(map(fits, guess)):
            return list(guess)
    raise RequestError("no_such_answer", "This is no answer to the question of this step.")


def counted(prediction: Prediction, guesses: Sequence[Any]) -> list[int]:
    """Return counts: of each option, of each tenth of a range, or of each line that was put first.

    Of drawings nothing: see `drawn`.
    """
    if prediction.kind == "number":
        width = (prediction.high - prediction.low) / BINS
        result = Counter(min(int((guess - prediction.low) / width), BINS - 1) for guess in guesses)
        return [result[index] for index in range(BINS)]
    if prediction.kind == "draw":
        return []
    counts = Counter(guess if prediction.kind == "choose" else guess[0] for guess in guesses)
    count = max(len(prediction.options), max(counts, default=0) + 1)
    return [counts[index] for index in range(count)]


def drawn(prediction: Prediction, guesses: Sequence[Sequence[float]]) -> list[dict[str, float]]:
    """Return, for each position of a drawing, the class's `value` and the `count` of those who drew it.

    Of a curve the median of each point, of an alignment the cell that most marked in each row.
    """
    lengths = Counter(map(len, guesses))
    length = lengths.most_common(1)[0][0] if guesses else 0  # whatever a script may have sent beside
    places = list(zip(*(guess for guess in guesses if len(guess) == length), strict=True))
    if prediction.low < prediction.high:
        return [{"value": round(median(answers), 1), "count": len(answers)} for answers in places]
    marked = [max(sorted(Counter(answers).items()), key=lambda item: item[1]) for answers in places]
    return [{"value": value, "count": count} for value, count in marked]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_NUMBER


def _is_place(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MAX_OPTIONS
