"""The card that ranks hypotheses, and hypotheses whose order the length penalty changes."""

from __future__ import annotations

from collections.abc import Sequence

from playwright.sync_api import Locator

from models.decoding.trace import DecodingTrace
from tests.browser.bare_page import BarePage
from tests.browser.trace_page import open_trace, with_ranking
from tests.fakes.traces import END, WITHIN, F, K, Spec, build_trace


def lengths_trace(
    alpha: float = 0.0, source: Sequence[str] = "xy", a: str = "▁a", y: str = "▁y"
) -> DecodingTrace:
    """Three hypotheses of 2, 5 and 3 tokens; by log-probability the shortest wins, by mean the longest.

    `a` is the token of the shortest, `y` that of the third.
    """
    steps: list[list[Spec]] = [
        [(None, a, 0.3, K, WITHIN), (None, "▁b", 0.5, K, WITHIN), (None, "▁c", 0.2, K, WITHIN)],
        [(0, "</s>", 0.3, F, END), (1, "▁x", 0.5, K, WITHIN), (2, y, 0.5, K, WITHIN)],
        [(4, "▁z", 0.5, K, WITHIN), (5, "</s>", 0.4, F, END)],
        [(6, "▁w", 0.6, K, WITHIN)],
        [(8, "</s>", 0.8, F, END)],
    ]
    return build_trace(source, steps, [(3, True), (9, True), (7, True)], alpha=alpha)


def alpha(view: Locator) -> Locator:
    return view.get_by_role("slider", name="Length penalty")


def texts(view: Locator) -> Locator:
    return view.locator(".tv-hypothesis .tv-text")


def open_ranking(bare: BarePage, trace: DecodingTrace, query: str = "") -> Locator:
    """A view of the trace with its ranking open."""
    return with_ranking(open_trace(bare, trace, query))
