"""Tree and heatmap are painted at once; Plotly, 5 MB of script, is loaded when a pointer enters."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.bare_page import BarePages
from tests.browser.charts import PAINTED_OVER, bring_plotly
from tests.browser.decode_page import open_more, open_tab
from tests.browser.trace_page import NODE_AT, expect_selection, open_view
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
def view(requests: HeldRequests, page: Page, bare: BarePages) -> Locator:
    return open_view(page, bare, library_trace())


def test_the_first_result_and_its_steps_need_no_plotly(view: Locator, requests: HeldRequests) -> None:
    expect(view.locator(".tv-heatmap .ytick text")).to_have_text(["␣a", "␣library", "</s>"])
    ring = view.locator(".tv-tree .tv-painting circle")
    before = ring.get_attribute("cx")
    view.get_by_role("button", name="Next step").click()
    expect(ring).not_to_have_attribute("cx", before or "")
    assert requests.routes == []
    assert view.page.evaluate("window.Plotly") is None


@pytest.mark.parametrize("chart", [".tv-tree", ".tv-heatmap"])
def test_the_arrival_of_plotly_moves_nothing(view: Locator, requests: HeldRequests, chart: str) -> None:
    box = view.locator(chart)
    painting, bounds = box.evaluate(PAINTING), box.bounding_box()
    box.hover()
    requests.wait()
    requests.go()
    bring_plotly(box)
    assert box.evaluate(PAINTING) == painting
    assert box.bounding_box() == bounds


def test_a_click_works_before_plotly_and_hints_appear_with_plotly(
    view: Locator, requests: HeldRequests
) -> None:
    tree = view.locator(".tv-tree")
    tree.scroll_into_view_if_needed()
    view.page.mouse.click(*tree.evaluate(FIRST_KEPT))
    expect_selection(view, step=0, node=0, hypothesis=1)
    requests.wait()
    assert view.page.evaluate("window.Plotly") is None
    requests.go()
    expect(tree.locator(".hoverlayer")).to_contain_text("␣the at step 1, rank 1")


@pytest.mark.full
def test_a_tap_chooses_and_leaves_no_hint_where_the_finger_was(
    open_window: Callable[..., Page], bare: BarePages
) -> None:
    page = open_window(has_touch=True)
    requests = HeldRequests(page)
    view = open_view(page, bare, library_trace())
    tree = view.locator(".tv-tree")
    tree.scroll_into_view_if_needed()
    page.touchscreen.tap(*tree.evaluate(FIRST_KEPT))
    expect_selection(view, step=0, node=0, hypothesis=1)
    requests.wait()
    requests.go()
    page.wait_for_function(PAINTED_OVER, arg=tree.element_handle())
    expect(tree.locator(".hoverlayer")).to_be_empty()


def test_plotly_draws_changes_made_during_its_loading(view: Locator, requests: HeldRequests) -> None:
    tree = view.locator(".tv-tree")
    tree.hover()
    requests.wait()
    open_more(view, "centre").locator(".tv-show-pruned").uncheck()
    requests.go()
    bring_plotly(tree)
    visibility = tree.evaluate("(box) => box.data.map(({ meta, visible }) => [meta, visible !== false])")
    assert ["pruned", False] in visibility
    view.page.mouse.move(*tree.evaluate(NODE_AT, 3))
    expect(tree.locator(".hoverlayer")).to_contain_text("␣library at step 2, rank 1")


def test_without_plotly_painted_charts_stay_and_others_explain_their_absence(
    page: Page, bare: BarePages, expected_errors: list[str]
) -> None:
    expected_errors.append("ERR_FAILED")
    requested: list[str] = []
    page.on("requestfailed", lambda request: requested.append(request.url))
    page.route(PLOTLY, lambda route: route.abort())
    view = open_view(page, bare, library_trace())
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
