"""What quality against source length says, in sentences computed from the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, permutations

from demo.figures.quality_by_length import Line, QualityChart, span, value_text
from demo.i18n import say
from models.registry.quality_by_length import LengthBin

CHANGE = 0.05  # of a score: what rounds to nothing is no change


def quality_sentence(chart: QualityChart) -> str:
    """Who falls furthest behind whom, and where; of one line, where it begins and ends.

    Nobody is behind where the intervals meet: that may be chance.
    """
    if len(chart.lines) == 1:
        return _course(chart, chart.lines[0])
    gaps = [
        (best.bins[place].value - line.bins[place].value, place, best, line)
        for place in range(len(chart.spans))
        for best, line in permutations(chart.lines, 2)
        if best.bins[place].low > line.bins[place].high
    ]
    if not gaps:
        return say(
            "At every length the intervals of all lines meet: this test set is too small to tell them apart."
        )
    gap, place, best, worst = max(gaps, key=lambda result: result[0])
    behind, ahead = worst.bins[place], best.bins[place]
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
    if place == 0 or gap - first < CHANGE:
        sentence = f"{sentence}."
    else:
        parted = _parted(worst.bins[0], best.bins[0])
        sentence = say(
            "{sentence}; at {span} {parted}.", sentence=sentence, span=chart.spans[0], parted=parted
        )
    return " ".join(filter(None, (sentence, _wider(chart, gap))))


def _wider(chart: QualityChart, gap: float) -> str:
    """Where the lines stand further apart than by the gap that was named, though that may be chance."""
    columns = [[line.bins[place].value for line in chart.lines] for place in range(len(chart.spans))]
    gaps = [max(values) - min(values) for values in columns]
    widest = max(range(len(gaps)), key=gaps.__getitem__)
    if gaps[widest] - gap < CHANGE:
        return ""
    return say(
        "At {span} the gap is wider, but the intervals meet there: that may be chance.",
        span=chart.spans[widest],
    )


def _parted(own: LengthBin, other: LengthBin) -> str:
    if own.low > other.high:
        return say("it is {points} points ahead", points=f"{own.value - other.value:.1f}")
    if other.low > own.high:
        return say("it is {points} points behind", points=f"{other.value - own.value:.1f}")
    return say("their intervals meet")


def _course(chart: QualityChart, line: Line) -> str:
    """Where the line begins and ends, and its steepest fall if that is more than chance."""
    metric, bins = chart.metric, line.bins
    first = {"name": line.name, "metric": say(metric), "value": value_text(bins[0].value, metric)}
    place = {"span": span(bins[0]), "unit": say(chart.unit)}
    if len(bins) == 1:
        return say("{name}: {metric} {value} at {span} {unit}.", **first, **place)
    sentence = say(
        "{name}: {metric} {value} at {span} {unit} and {last} at {last_span}.",
        **first,
        **place,
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
    """Where the line falls more than the drop that was named, though that may be chance."""
    one, other = max(pairwise(bins), key=_drop)
    if _drop((one, other)) - drop < CHANGE:
        return ""
    return say(
        "From {one} to {other} it falls more, but the intervals meet there: that may be chance.",
        one=span(one),
        other=span(other),
    )
