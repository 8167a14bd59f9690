"""Parts that the attention lab's dictionaries share: lines of pairs, kernels, the table of parts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from demo.i18n import later, quoted, say
from demo.i18n.display import number_text, percent_text
from demo.widgets.answers.content import Cell, Controls, LessonCurve, NotHereError, Table

KERNEL_NAMES = {
    "gaussian": later("Gaussian"),
    "boxcar": later("boxcar"),
    "epanechnikov": later("Epanechnikov"),
    "triangular": later("triangular"),
}
FORMULAS = {
    "gaussian": "K(u) = exp(−u² / 2)",
    "boxcar": "K(u) = 1 (|u| ≤ 1)",
    "epanechnikov": "K(u) = max(0, 1 − u²)",
    "triangular": "K(u) = max(0, 1 − |u|)",
}
MAX_PAIRS = 60
MAX_QUOTED_CHARACTERS = 24  # characters of a line that a sentence quotes
_BREAK = re.compile(r"[\n;；]")


@dataclass(frozen=True)
class Pair:
    """One line of a dictionary."""

    number: int  # number of the line, from 1
    key: str
    value: str


def pairs(text: str) -> list[Pair]:
    """Read a key and a value from each line; a semicolon ends a line too. Raises NotHereError."""
    lines = [line.strip() for line in _BREAK.split(text) if line.strip()]
    if not 2 <= len(lines) <= MAX_PAIRS:
        raise NotHereError(
            "dictionary_length",
            "The dictionary has {count} lines; type 2 to {limit}, a key and its value in each.",
            count=len(lines),
            limit=MAX_PAIRS,
        )
    result = []
    for number, line in enumerate(lines, 1):
        parts = line.split()
        if len(parts) != 2:
            raise NotHereError(
                "no_key_and_value",
                "Line {number}, {line}, is not a key and a value with a space between.",
                number=number,
                line=quoted(line[:MAX_QUOTED_CHARACTERS]),
            )
        result.append(Pair(number, *parts))
    return result


def chosen_kernel(controls: Controls) -> str:
    """Return the kernel that the reader has chosen."""
    return controls.choose(
        "kernel", say("kernel"), [(name, say(KERNEL_NAMES[name])) for name in KERNEL_NAMES]
    )


def of_kernel(kernel: str, bandwidth: str, effective_keys: float) -> list[str]:
    """Return the kernel's formula, and over how many keys it spreads the weights (0: it reaches none)."""
    formula = say(
        "{kernel}: {formula} with u = distance / {bandwidth}; the weight of a key is its K over the sum of "
        "all K.",
        kernel=say(KERNEL_NAMES[kernel]).capitalize(),
        formula=FORMULAS[kernel],
        bandwidth=bandwidth,
    )
    if not effective_keys:
        return [formula]
    scattered = say(
        "The attention is spread as widely as over {choices} equally weighted keys (e to the "
        "power of its entropy).",
        choices=number_text(effective_keys, 1),
    )
    return [formula, scattered]


def reaches_nothing() -> str:
    """Say why there is no answer, and what to do."""
    return say(
        "The kernel reaches no key from here: every weight would be 0 / 0, so there is no answer. Take a "
        "larger bandwidth, or the Gaussian, which reaches every key."
    )


def in_percent(keys: Sequence[str], weights: Sequence[float]) -> Mapping[str, LessonCurve]:
    """Return the weight of each key as text, for lessons."""
    return {"weights": {"columns": keys, "values": [100 * weight for weight in weights]}}


def parts_table(
    keys: Sequence[str],
    values: Sequence[float],
    scores: tuple[str, Sequence[float]],
    weights: Sequence[float],
) -> Table:
    """Return the parts of the answer: key, value, score, weight and product, and their sum."""
    rows: list[list[Cell]] = [
        [key, number_text(value), number_text(score, 3), percent_text(weight), number_text(weight * value, 3)]
        for key, value, score, weight in zip(keys, values, scores[1], weights, strict=True)
    ]
    whole = sum(weights)
    answer = sum(weight * value for weight, value in zip(weights, values, strict=True))
    rows.append([say("sum"), "", "", percent_text(whole), number_text(answer, 3) if whole else say("none")])
    return Table([say("key"), say("value"), scores[0], say("weight"), say("weight × value")], rows)
