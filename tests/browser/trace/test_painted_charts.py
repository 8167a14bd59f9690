"""Tree and heatmap are painted at once; Plotly, 5 MB of script, is loaded when a pointer enters."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.bare_page import BarePage, BareServer
from tests.browser.charts import PAINTED_OVER, bring_plotly
from tests.browser.decode_page import open_more, open_tab
from tests.browser.trace_page import NODE_AT, expect_selection, open_trace
from tests.fakes.traces import library_trace

PLOTLY = re.compile(r"plotly\.min\.js")
PAINTING = "(box) => box.querySelector('.tv-painting').outerHTML"
# The marker of the first candidate that was kept stands left of its label and below it.
FIRST_KEPT = """(tree) => {
  const label = tree.querySelector("[data-part=kept] text").getBoundingClientRect();
  return [label.left - 6, label.bottom + 6];
}"""


class HeldRequests:
    """Requests for Plotly, held until they are released."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.routes: list[Route] = []
        page.route(PLOTLY, lambda route: self.routes.append(route))

    def wait(self) -> None:
        """Wait for a request."""
        while not self.routes:
            self.page.wait_for_timeout(20)

    def go(self) -> None:
        """Release the requests."""
        while self.routes:
            self.routes.pop().continue_()


@pytest.fixture
def requests(page: Page) -> HeldRequests:
    return HeldRequests(page)


@pytest.fixture
def view(requests: HeldRequests, bare: BarePage) -> Locator:
    return open_trace(bare, library_trace())


def test_results_steps_and_clicks_need_no_plotly_which_adds_hints(
    view: Locator, requests: HeldRequests
) -> None:
    expect(view.locator(".tv-heatmap .ytick text")).to_have_text(["␣a", "␣library", "</s>"])
    tree = view.locator(".tv-tree")
    ring = tree.locator(".tv-painting circle[r='12']")
    before = ring.get_attribute("cx")
    view.get_by_role("button", name="Next step").click()
    expect(ring).not_to_have_attribute("cx", before or "")
    assert requests.routes == []
    assert view.page.evaluate("window.Plotly") is None
    tree.scroll_into_view_if_needed()
    view.page.mouse.click(*tree.evaluate(FIRST_KEPT))
    expect_selection(view, step=0, node=0, hypothesis=1)
    requests.wait()
    assert view.page.evaluate("window.Plotly") is None
    requests.go()
    expect(tree.locator(".hoverlayer")).to_contain_text("␣the at step 1, rank 1")


def test_the_arrival_of_plotly_moves_nothing_and_keeps_changes_made_meanwhile(
    view: Locator, requests: HeldRequests
) -> None:
    tree, heatmap = view.locator(".tv-tree"), view.locator(".tv-heatmap")
    pruned = tree.locator("[data-part=pruned]")
    expect(pruned).not_to_have_count(0)
    tree.hover()
    requests.wait()
    open_more(view, "centre").locator(".tv-show-pruned").uncheck()
    expect(pruned).to_have_count(0)
    before = [(chart.evaluate(PAINTING), chart.bounding_box()) for chart in (tree, heatmap)]
    requests.go()
    for chart, (painting, bounds) in zip((tree, heatmap), before, strict=True):
        bring_plotly(chart)
        assert chart.evaluate(PAINTING) == painting
        assert chart.bounding_box() == bounds
    visibility = tree.evaluate("(box) => box.data.map(({ meta, visible }) => [meta, visible !== false])")
    assert ["pruned", False] in visibility
    view.page.keyboard.press("Escape")  # the menu may lie over the node
    view.page.mouse.move(*tree.evaluate(NODE_AT, 3))
    expect(tree.locator(".hoverlayer")).to_contain_text("␣library at step 2, rank 1")


@pytest.mark.full
def test_a_tap_chooses_and_leaves_no_hint_where_the_finger_was(
    open_window: Callable[..., Page], bare_server: BareServer
) -> None:
    page = open_window(has_touch=True)
    requests = HeldRequests(page)
    view = open_trace(BarePage(page, bare_server), library_trace())
    tree = view.locator(".tv-tree")
    tree.scroll_into_view_if_needed()
    page.touchscreen.tap(*tree.evaluate(FIRST_KEPT))
    expect_selection(view, step=0, node=0, hypothesis=1)
    requests.wait()
    requests.go()
    page.wait_for_function(PAINTED_OVER, arg=tree.element_handle())
    expect(tree.locator(".hoverlayer")).to_be_empty()


def test_without_plotly_painted_charts_stay_and_others_explain_their_absence(
    bare: BarePage, expected_errors: list[str]
) -> None:
    expected_errors.append("ERR_FAILED")
    requested: list[str] = []
    page = bare.page
    page.on("requestfailed", lambda request: requested.append(request.url))
    page.route(PLOTLY, lambda route: route.abort())
    view = open_trace(bare, library_trace())
    tree = view.locator(".tv-tree")
    tree.hover()
    page.wait_for_function("() => ![...document.scripts].some(({ src }) => src.includes('plotly'))")
    tree.hover(position={"x": 100, "y": 100})
    page.mouse.click(*tree.evaluate(FIRST_KEPT))
    expect_selection(view, step=0, node=0, hypothesis=1)
    assert len(requested) == 1, "a pointer asks once, however long it moves"
    open_tab(view, "mass")
    expect(view.locator(".tv-mass")).to_have_text("Plotly could not be loaded: the chart is missing.")
    page.unroute(PLOTLY)
    open_tab(view, "tree")
    bring_plotly(tree)
