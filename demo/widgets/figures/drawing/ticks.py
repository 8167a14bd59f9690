"""Ticks of axes: at each label, or at round numbers where Plotly would set too many or none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from demo.i18n.display import short_text
from demo.widgets.figures.drawing.builders import plain_axis


def label_ticks(labels: Sequence[str]) -> dict[str, Any]:
    """Return an axis with a label at each whole number from 0, by positions.

    An axis of categories would merge a token that occurs twice.
    """
    return plain_axis(ticks=(list(range(len(labels))), list(labels)), showgrid=False, fixedrange=True)


def log_ticks(low: float, high: float) -> list[float]:
    """Return at most eight round numbers from `low` to `high`, both positive, for a logarithmic axis."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    if high < 8 * low:
        power = 10.0 ** math.floor(math.log10((high - low) / 7))
        step = next(digit * power for digit in (1, 2, 5, 10) if (high - low) <= 7 * digit * power)
        return [round(index * step, 9) for index in range(math.ceil(low / step), math.floor(high / step) + 1)]
    for digits, stride in (((1, 2, 5), 1), ((1, 3), 1), *(((1,), 1 << power) for power in range(7))):
        ticks = [float(f"{digit}e{power}") for power in decades[::stride] for digit in digits]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) <= 8:
            break
    return ticks


def number_ticks(low: float, high: float) -> dict[str, Any]:
    """Return fields of a logarithmic axis that name its round numbers: Plotly's own labels would overlap."""
    ticks = log_ticks(low, high)
    return {"tickmode": "array", "tickvals": ticks, "ticktext": [short_text(tick, 6) for tick in ticks]}
