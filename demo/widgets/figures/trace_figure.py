"""The declaration of a figure: its card, payload, caption, downloads and `hide=` follow from it.

A cache keeps values computed from a trace, for several figures and sentences.

The package finds those that its modules define. Imports no Gradio.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, wraps
from typing import TypeVar

from demo.widgets.figures.figure import Figure
from models.decoding.trace import DecodingTrace
from models.discovery import discover

LAST = 500  # position of a figure that names none

Data = TypeVar("Data")
Result = TypeVar("Result")


@dataclass(frozen=True)
class HideablePart:
    """Something on the page that a link may leave out (`hide=`)."""

    name: str  # its name in a link
    label: str  # text of a checkbox after “hide”; marked by `in_page`
    tabs: tuple[str, ...] = ("decode",)  # the tabs that may show it


@dataclass(frozen=True)
class TraceFigure:
    """A chart of a trace on a card of its own."""

    name: str  # name in the payload, of its files and, after `tv-`, of its card
    title: str  # title of its card
    label: str  # a label for screen readers: its content, and where the same is text or buttons
    called: str  # name in the hint of a download button; marked by `in_page`
    part: HideablePart
    draw: Callable[[DecodingTrace], Figure | None]  # None: nothing to show, and no card
    caption: Callable[[DecodingTrace], str]  # one sentence under it, or ""
    # Further parts that hide it, too. The default is safe: most charts give a number of the model away.
    hidden_by: tuple[str, ...] = ("probabilities",)
    position: int = LAST  # its position among the cards, the smallest first
    pane: str = "centre"  # the pane of the view in which it is a tab
    within: str = ""  # the card that holds it at its end, instead of a tab


def drawing(
    compute: Callable[[DecodingTrace], Data | None], figure: Callable[[Data], Figure]
) -> Callable[[DecodingTrace], Figure | None]:
    """Return a `draw` that computes, then draws; it returns None if there is nothing to draw."""

    def draw(trace: DecodingTrace) -> Figure | None:
        result = compute(trace)
        return None if result is None else figure(result)

    return draw


def per_trace(compute: Callable[[DecodingTrace], Result]) -> Callable[[DecodingTrace], Result]:
    """Return `compute` with a cache, which keeps each result as long as its trace lives.

    The key is the trace's identity, since comparing two traces takes as long as most computations.
    """
    results: dict[int, tuple[weakref.ref[DecodingTrace], Result]] = {}

    @wraps(compute)
    def once(trace: DecodingTrace) -> Result:
        key = id(trace)
        result = results.get(key)
        if result is None or result[0]() is not trace:
            gone = weakref.ref(trace, lambda _: results.pop(key, None))
            results[key] = result = (gone, compute(trace))
        return result[1]

    return once


@cache
def trace_figures() -> tuple[TraceFigure, ...]:
    """Return all figures of this package, from the top of the page to its end."""
    return tuple(sorted(discover("demo.widgets.figures", TraceFigure), key=lambda figure: figure.position))
