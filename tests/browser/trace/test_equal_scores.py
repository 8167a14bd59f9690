"""A score that equals the log-probability is shown once, under one name."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.bare_page import BarePage
from tests.browser.decode_page import open_tab
from tests.browser.trace_page import open_trace
from tests.fakes.traces import END, WITHIN, F, K, Spec, build_trace


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_a_score_stands_beside_the_log_probability_only_if_it_differs(bare: BarePage, alpha: float) -> None:
    steps: list[list[Spec]] = [
        [(None, "a", 0.5, K, WITHIN), (None, "b", 0.3, K, WITHIN)],
        [(0, "</s>", 0.4, F, END), (1, "</s>", 0.5, F, END)],
    ]
    view = open_trace(bare, build_trace("xy", steps, [(2, True), (3, True)], alpha=alpha))
    score = ["normalised score −0.805"] if alpha else []
    facts = ["log-probability −1.61", *score, "tokens 2"]
    expect(view.locator(".tv-score span")).to_have_text(facts)
    open_tab(view, "hypotheses")
    expect(view.locator(".tv-hypothesis .tv-log-prob").first).to_be_visible(visible=bool(alpha))
    open_tab(view, "candidates")
    expect(view.get_by_role("columnheader", name="score")).to_have_count(int(alpha))
