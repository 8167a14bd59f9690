"""What quality against source length says, in sentences computed from the numbers."""

from __future__ import annotations

from itertools import pairwise, permutations

from demo.figures.quality_by_length import Line, QualityChart, span, value_text
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
        return (
            "At every length the intervals of all lines meet: this test set is too small to tell them apart."
        )
    gap, place, best, worst = max(gaps, key=lambda found: found[0])
    behind, ahead = worst.bins[place], best.bins[place]
    values = [value_text(each.value, chart.metric) for each in (behind, ahead)]
    sentence = (
        f"{worst.name} falls furthest behind at {span(behind)} {chart.unit}: "
        f"{chart.metric} {values[0]} against {values[1]} of {best.name}"
    )
    first = best.bins[0].value - worst.bins[0].value
    if place == 0 or gap - first < CHANGE:
        return f"{sentence}."
    return f"{sentence}; at {chart.spans[0]} {_parted(worst.bins[0], best.bins[0])}."


def _parted(own: LengthBin, other: LengthBin) -> str:
    if own.low > other.high:
        return f"it is {own.value - other.value:.1f} points ahead"
    if other.low > own.high:
        return f"it is {other.value - own.value:.1f} points behind"
    return "their intervals meet"


def _course(chart: QualityChart, line: Line) -> str:
    """Where the line begins and ends, and its steepest fall if that is more than chance."""
    metric, bins = chart.metric, line.bins
    sentence = f"{line.name}: {metric} {value_text(bins[0].value, metric)} at {span(bins[0])} {chart.unit}"
    if len(bins) == 1:
        return f"{sentence}."
    sentence += f" and {value_text(bins[-1].value, metric)} at {span(bins[-1])}."
    falls = [(one, other) for one, other in pairwise(bins) if one.low > other.high]
    if not falls:
        return sentence
    one, other = max(falls, key=lambda fall: fall[0].value - fall[1].value)
    values = f"{value_text(one.value, metric)} to {value_text(other.value, metric)}"
    return f"{sentence} It falls most steeply from {span(one)} to {span(other)}: {values}."
