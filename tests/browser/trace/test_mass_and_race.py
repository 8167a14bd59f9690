"""The probability mass and the race in the browser: the hints of their points, and clicks on them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.bare_page import BarePage
from tests.browser.decode_page import open_tab
from tests.browser.trace_page import expect_selection, open_trace
from tests.fakes.traces import library_trace

CLICK = """(view, [part, ids]) =>
  view.querySelector(part).emit("plotly_click", { points: [{ customdata: ids }] })"""
SHAPES = "(view, part) => view.querySelector(part).layout.shapes ?? []"
HINTS = "(view, part) => view.querySelector(part).data.flatMap(({ hovertext }) => hovertext ?? [])"


@pytest.fixture
def view(bare: BarePage) -> Locator:
    return open_trace(bare, library_trace())


def show(view: Locator, name: str) -> None:
    """Open the tab of a chart and wait until it is drawn."""
    open_tab(view, name)
    expect(view.locator(f".tv-{name}")).to_have_class(re.compile("js-plotly-plot"))


@pytest.mark.full
def test_a_block_and_a_point_choose_their_path(view: Locator) -> None:
    show(view, "mass")
    view.evaluate(CLICK, [".tv-mass", [4]])
    expect_selection(view, step=1, node=4, hypothesis=1)
    show(view, "race")
    view.evaluate(CLICK, [".tv-race", [3]])
    expect_selection(view, step=1, node=3, hypothesis=0)
    view.evaluate(CLICK, [".tv-mass", []])  # an unknown node
    expect_selection(view, step=1, node=3, hypothesis=0)


def test_both_charts_follow_the_step_and_show_percentages_before_nats(view: Locator) -> None:
    show(view, "race")
    assert "greedy<br>step 2: ␣book<br>22.5% (−1.49 nats)" in view.evaluate(HINTS, ".tv-race")
    view.get_by_role("button", name="Next step").click()
    expect_selection(view, step=1, node=3, hypothesis=0)
    view.page.wait_for_function(
        "document.querySelector('.tv-race').layout.shapes.some(({ x0 }) => x0 === 1.5)"
    )
    expect(view.locator("[data-caption=race]")).to_contain_text("At step 2 the winner overtakes greedy")
    show(view, "mass")
    frame = view.evaluate(SHAPES, ".tv-mass")[-1]
    assert (frame["x0"], frame["x1"]) == pytest.approx((0.5, 0.86), abs=1e-5)
    assert "␣a ␣library<br>36.0% (−1.02 nats)<br>asked about" in view.evaluate(HINTS, ".tv-mass")
