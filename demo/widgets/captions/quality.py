"""Sentences about quality by source length, computed from the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, permutations

from demo.i18n import say
from demo.i18n.display import number_text
from demo.widgets.figures.curves.quality_by_length import Line, QualityChart, span, value_text
from models.registry.quality_by_length import LengthBin

MIN_CHANGE = 0.05  # least change of a score that is reported


def quality_sentence(chart: QualityChart) -> str:
    """A sentence about the largest gap between two lines; for one line, about its course.

    A gap counts only if the intervals do not overlap.
    """
    if len(chart.lines) == 1:
        return _course(chart, chart.lines[0])
    gaps = [
        (best.bins[index].value - line.bins[index].value, index, best, line)
        for index in range(len(chart.spans))
        for best, line in permutations(chart.lines, 2)
        if best.bins[index].low > line.bins[index].high
    ]
    if not gaps:
        return say(
            "At every length the intervals of all lines overlap: this test set is too small to tell them "
            "apart."
        )
    gap, index, best, worst = max(gaps, key=lambda result: result[0])
    behind, ahead = worst.bins[index], best.bins[index]
    values = [value_text(item.value, chart.metric) for item in (behind, ahead)]
    sentence = say(
        "{worst} falls furthest behind at {span} {unit}: {metric} {value} against {other} of {best}",
        worst=worst.name,
        span=span(behind),
        unit=say(chart.unit),
        metric=say(chart.metric),
        value=values[0],
        other=values[1],
        best=best.name,
    )
    first = best.bins[0].value - worst.bins[0].value
    if index == 0 or gap - first < MIN_CHANGE:
        sentence = f"{sentence}."
    else:
        parted = _gap_text(worst.bins[0], best.bins[0])
        sentence = say(
            "{sentence}; at {span} {parted}.", sentence=sentence, span=chart.spans[0], parted=parted
        )
    return " ".join(filter(None, (sentence, _wider(chart, gap))))


def _wider(chart: QualityChart, gap: float) -> str:
    """A sentence about a wider gap that may be due to chance, if there is one."""
    columns = [[line.bins[index].value for line in chart.lines] for index in range(len(chart.spans))]
    gaps = [max(values) - min(values) for values in columns]
    widest = max(range(len(gaps)), key=gaps.__getitem__)
    if gaps[widest] - gap < MIN_CHANGE:
        return ""
    return say(
        "At {span} the gap is wider, but the intervals overlap there: that may be chance.",
        span=chart.spans[widest],
    )


def _gap_text(one: LengthBin, other: LengthBin) -> str:
    if one.low > other.high:
        return say("it is {points} points ahead", points=number_text(one.value - other.value, 1))
    if other.low > one.high:
        return say("it is {points} points behind", points=number_text(other.value - one.value, 1))
    return say("their intervals overlap")


def _course(chart: QualityChart, line: Line) -> str:
    """Sentences about the ends of a line and its steepest significant fall."""
    metric, bins = chart.metric, line.bins
    first = {"name": line.name, "metric": say(metric), "value": value_text(bins[0].value, metric)}
    position = {"span": span(bins[0]), "unit": say(chart.unit)}
    if len(bins) == 1:
        return say("{name}: {metric} {value} at {span} {unit}.", **first, **position)
    sentence = say(
        "{name}: {metric} {value} at {span} {unit} and {last} at {last_span}.",
        **first,
        **position,
        last=value_text(bins[-1].value, metric),
        last_span=span(bins[-1]),
    )
    falls = [(one, other) for one, other in pairwise(bins) if one.low > other.high]
    if not falls:
        return sentence
    one, other = max(falls, key=_drop)
    fall = say(
        "It falls most steeply from {one} to {other}: {value} to {other_value}.",
        one=span(one),
        other=span(other),
        value=value_text(one.value, metric),
        other_value=value_text(other.value, metric),
    )
    return " ".join(filter(None, (sentence, fall, _steeper(bins, _drop((one, other))))))


def _drop(fall: tuple[LengthBin, LengthBin]) -> float:
    return fall[0].value - fall[1].value


def _steeper(bins: Sequence[LengthBin], drop: float) -> str:
    """A sentence about a steeper fall that may be due to chance, if there is one."""
    one, other = max(pairwise(bins), key=_drop)
    if _drop((one, other)) - drop < MIN_CHANGE:
        return ""
    return say(
        "From {one} to {other} it falls more, but the intervals overlap there: that may be chance.",
        one=span(one),
        other=span(other),
    )
