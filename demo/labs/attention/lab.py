"""Attention as a soft dictionary: numbers or words by a kernel, vectors by one of four scores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.i18n import later, quoted, say
from demo.i18n.display import number_text, percent_text, plain_text
from demo.labs import Lab
from demo.labs.attention.dictionary import (
    MAX_QUOTED_CHARACTERS,
    chosen_kernel,
    in_percent,
    of_kernel,
    pairs,
    parts_table,
    reaches_nothing,
    words_view,
)
from demo.labs.attention.figures import regression_figure, weights_figure
from demo.labs.attention.scores import scores_view
from demo.widgets.answers.content import Chart, Content, Controls, NotHereError

if TYPE_CHECKING:
    from models.labs.attention import SoftDictionary

# A noisy curve with a gap from 2.3 to 3.3, drawn once for this lab: 2 sin(x) + x.
PAIRS = (
    "0.1 0.2; 0.4 1.2; 0.7 2.3; 0.9 2.3; 1.2 2.4; 1.5 3.2; 1.8 4.0; 2.0 4.2; 2.3 3.9; 3.3 2.7; 3.6 3.3; "
    "3.8 2.4; 4.1 2.7; 4.4 3.0; 4.6 2.6; 4.9 3.2"
)
MAX_ABSOLUTE_VALUE = 1_000_000  # greatest absolute value of a number
MIN_RELATIVE_SPAN = 1e-6  # times the largest key: a smaller span counts as none
STEPS = 20  # steps of a slider per unit of the keys
MAX_BANDWIDTH = 5  # units of the bandwidth
CURVE_QUERIES, HEATMAP_ROWS = 241, 21  # queries of the curve, and of the heatmap
KERNELS, WORDS, SCORES = "kernels", "words", "scores"


@dataclass(frozen=True)
class _Scale:
    """A scale for sliders and axes that suits the reader's keys, whatever their size."""

    unit: float  # a power of 10, a tenth of the span to all of it
    span: float
    low: float
    high: float

    @property
    def step(self) -> float:
        return self.unit / STEPS

    def queries(self, count: int) -> list[float]:
        """`count` queries from end to end, evenly spaced."""
        return [self.low + index * (self.high - self.low) / (count - 1) for index in range(count)]

    def round_to_step(self, value: float) -> float:
        """Return a whole number of steps, without the remainders of binary fractions."""
        return float(f"{round(value / self.step) * self.step:.12g}")


def compute(controls: Controls) -> Content:
    """Show one of three: numbers by a kernel, words by a kernel, random vectors by a score."""
    views = [
        (KERNELS, say("numbers and a kernel")),
        (WORDS, say("words and a kernel")),
        (SCORES, say("vectors and a score")),
    ]
    view = controls.choose("shown", say("shown"), views)
    if view == WORDS:
        return words_view(controls)
    return scores_view(controls) if view == SCORES else _kernels(controls)


def _kernels(controls: Controls) -> Content:
    """Show Nadaraya-Watson regression on the reader's pairs."""
    from models.labs.attention import SoftDictionary, facts_of

    text = controls.text_field("text", say("a key and its value in each line"), PAIRS)
    read = [(_number(pair.key, pair.number), _number(pair.value, pair.number)) for pair in pairs(text)]
    scale = _scale([key for key, _ in read])
    middle = scale.round_to_step((scale.low + scale.high) / 2)
    query = controls.number("query", say("query"), scale.low, scale.high, scale.step, middle)
    kernel = chosen_kernel(controls)
    usual = max(scale.round_to_step(scale.span / 10), scale.step)
    widest = MAX_BANDWIDTH * scale.unit
    bandwidth = controls.number("bandwidth", say("bandwidth"), scale.step, widest, scale.step, usual)
    result = SoftDictionary.of(read, kernel, bandwidth)
    (answer,), (weights,) = result.ask(query)
    queries, some = scale.queries(CURVE_QUERIES), scale.queries(HEATMAP_ROWS)
    labels = [_short(key) for key in result.keys]
    parts = (result.keys, result.values, weights)
    drawn = regression_figure(parts, (queries, result.ask(*queries)[0]), (query, answer))
    spread = weights_figure(result.ask(*some)[1], [_short(item) for item in some], labels)
    facts = facts_of(result, query) | _best_error(result, scale)
    paragraphs = [
        _finding(query, facts, weights),
        say(
            "A dictionary gives the value of one key, and an error for any other. Attention mixes the "
            "values: answer = sum of w(q, k) v. No attention weight w is negative and they sum to 1, so the "
            "answer lies between the smallest value and the largest."
        ),
        *of_kernel(kernel, _short(bandwidth), float(facts["effective_keys"])),
        _of_bandwidth(facts),
        say("Some textbooks call the triangular kernel Epanechnikov's; his own is a parabola.")
        if kernel in ("epanechnikov", "triangular")
        else "",
        say(
            "Nothing is learnt here: who chooses kernel and bandwidth decides what is near. A network learns "
            "its queries and keys, so that what belongs together comes to be near."
        ),
    ]
    return Content(
        [*filter(None, paragraphs)],
        [
            Chart("regression", say("The answer to every query, and the weight of each key at yours"), drawn),
            Chart("weights", say("The weight of each key for many queries"), spread),
        ],
        parts_table(labels, result.values, ("K(u)", result.heights(query)), weights),
        facts,
        in_percent(labels, weights),
    )


def _best_error(dictionary: SoftDictionary, scale: _Scale) -> dict[str, float | str]:
    """Return the best bandwidth on the slider, and its leave-one-out error."""
    widths = [scale.round_to_step(index * scale.step) for index in range(1, MAX_BANDWIDTH * STEPS + 1)]
    errors = {width: dictionary.error(width) for width in widths}
    best = min(errors, key=lambda item: errors[item])
    return {
        "best_bandwidth": best if math.isfinite(errors[best]) else "",
        "best_error": errors[best] if math.isfinite(errors[best]) else "",
    }


def _number(text: str, line: int) -> float:
    """Return a number typed with a decimal point or a decimal comma."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if abs(value) <= MAX_ABSOLUTE_VALUE:  # not if it is none
        return value
    raise NotHereError(
        "no_number_in_line",
        "Line {number}: {text} is not a number from −{limit} to {limit}. Words have a view of their own.",
        number=line,
        text=quoted(text[:MAX_QUOTED_CHARACTERS]),
        limit=f"{MAX_ABSOLUTE_VALUE:,}",
    )


def _scale(keys: Sequence[float]) -> _Scale:
    low, high = min(keys), max(keys)
    if high - low <= MIN_RELATIVE_SPAN * max(abs(low), abs(high)):
        low, high = low - 1, high + 1
    unit = 10.0 ** math.floor(math.log10(high - low))
    ends = (math.floor(low / unit) * unit, math.ceil(high / unit) * unit)
    return _Scale(unit, high - low, *(float(f"{end:.12g}") for end in ends))


def _short(value: float) -> str:
    """Return four digits, without an exponent."""
    return plain_text(float(f"{value:.4g}"))


def _finding(query: float, facts: Mapping[str, float | str], weights: Sequence[float]) -> str:
    if facts["answer"] == "":
        return reaches_nothing()
    percent = percent_text(float(facts["largest_weight"]))
    ties = sum(math.isclose(weight, max(weights)) for weight in weights)
    return say(
        "To the query {query} the answer is {answer}: a mean of {some} of {count} values, weighted by how "
        "near their keys are. {most}",
        query=_short(query),
        answer=number_text(float(facts["answer"])),
        some=facts["keys_reached"],
        count=facts["keys"],
        most=say("The largest weight, {percent}, is that of several keys.", percent=percent)
        if ties > 1
        else say(
            "The key {key} counts most, with {percent}.", key=_short(float(facts["top_key"])), percent=percent
        ),
    )


def _of_bandwidth(facts: Mapping[str, float | str]) -> str:
    """Say how good this bandwidth is, if that can be measured."""
    if facts["best_error"] == "":
        return ""
    values = {
        "best": _short(float(facts["best_bandwidth"])),
        "best_error": number_text(float(facts["best_error"])),
        "mean": number_text(float(facts["mean_value"])),
    }
    if facts["left_out_error"] == "":
        return say(
            "With this bandwidth, at least one key has no other key near enough to predict "
            "it. The best bandwidth here is {best}, with an error of {best_error} (RMSE); "
            "too wide a kernel always predicts the mean, {mean}.",
            **values,
        )
    return say(
        "Each value predicted from all others is off by {error} (RMSE); the best bandwidth here, {best}, "
        "is off by {best_error}. Too narrow repeats the noise, too wide always says the mean, {mean}.",
        error=number_text(float(facts["left_out_error"])),
        **values,
    )


LAB = Lab(
    "attention",
    later("Attention"),
    later("What is the answer to a query that fits none of the keys?"),
    position=80,
    compute=compute,
)
