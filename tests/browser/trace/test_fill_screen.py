"""A pane that fills the screen: one chart and the stepper, large enough for the last row of a room."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.bare_page import BarePage
from tests.browser.charts import bring_plotly, click_point
from tests.browser.decode_page import open_more, open_tab, visit, wait_for_result
from tests.browser.trace_page import NODE_AT, expect_selection, open_trace
from tests.fakes.traces import library_trace, translation_trace
from tests.grids import full_only

LETTERS = 24  # pixels, at least
# The size of a chart, its smallest letters and, for a heatmap, the proportion of a cell.
MEASURE = """(box) => {
  const { width, height } = box.getBoundingClientRect();
  const texts = [...box.querySelectorAll("text")].filter((text) => text.textContent.trim());
  const letters = Math.min(...texts.map((text) => Number.parseFloat(getComputedStyle(text).fontSize)));
  const cells = box.querySelector("[shape-rendering=crispEdges] path")?.getAttribute("d");
  const [, across, down] = cells?.match(/h(-?[\\d.]+)v(-?[\\d.]+)/) ?? [];
  return { width, height, letters, shape: across / down || 0 };
}"""
# The elements outside the view at points all over the screen.
OTHERS = """() => {
  const view = document.querySelector(".trace-view");
  const found = new Set();
  for (let x = 5; x < innerWidth; x += 20)
    for (let y = 5; y < innerHeight; y += 20) {
      const element = document.elementFromPoint(x, y);
      if (!view.contains(element)) found.add(element?.outerHTML.slice(0, 80));
    }
  return [...found];
}"""
DRAWN_ANEW = """([selector, width]) =>
  Math.abs(document.querySelector(selector).getBoundingClientRect().width - width) > 2"""


def fill(view: Locator, pane: str) -> None:
    """Let a pane fill the screen."""
    open_more(view, pane)
    view.locator(f".tv-pane[data-pane={pane}] .tv-fill").click()


def measurements(view: Locator, chart: str) -> dict[str, Any]:
    return dict(view.locator(chart).evaluate(MEASURE))


def filled(view: Locator, pane: str, chart: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A chart before and after its pane fills the screen."""
    before = measurements(view, chart)
    fill(view, pane)
    view.page.wait_for_function(DRAWN_ANEW, arg=[f".trace-view {chart}", before["width"]])
    return before, measurements(view, chart)


@pytest.mark.parametrize(
    ("pane", "card", "chart"),
    [
        ("right", "attention", ".tv-heatmap"),
        *full_only([("centre", "tree", ".tv-tree"), ("centre", "mass", ".tv-mass")]),
    ],
)
@pytest.mark.parametrize("size", [(1440, 900), *full_only([((1920, 1080),)])])
def test_a_chart_that_fills_the_screen_doubles_and_keeps_its_proportions(
    bare: BarePage, size: tuple[int, int], pane: str, card: str, chart: str
) -> None:
    bare.page.set_viewport_size({"width": size[0], "height": size[1]})
    view = open_trace(bare, translation_trace())
    open_tab(view, card)
    expect(view.locator(f"{chart} text").first).to_be_attached()
    before, after = filled(view, pane, chart)
    assert after["letters"] >= LETTERS
    assert after["letters"] >= 2 * before["letters"]
    assert after["height"] >= 2 * before["height"] * 0.98
    assert after["width"] / after["height"] == pytest.approx(before["width"] / before["height"], rel=0.03)
    assert after["shape"] == pytest.approx(before["shape"], rel=0.05)


def test_a_full_screen_shows_one_pane_that_takes_clicks_and_the_stepper_until_escape(bare: BarePage) -> None:
    view = open_trace(bare, library_trace())
    before, _ = filled(view, "centre", ".tv-tree")
    expect(view.locator(".tv-pane:visible")).to_have_count(1)
    expect(view.locator(".tv-stepper")).to_be_in_viewport(ratio=1)
    expect(view.locator(".tv-result, .tv-strip")).to_have_count(2)
    aside = ".tv-facts, .tv-band-source, .tv-files, .tv-pane .tv-caption, .tv-downloads"
    expect(view.locator(aside).locator("visible=true")).to_have_count(0)
    assert view.page.evaluate(OTHERS) == []
    size = view.locator(".tv-status b").evaluate("(text) => text.getBoundingClientRect().height")
    assert size >= LETTERS
    view.get_by_role("button", name="Next step").click()
    expect_selection(view, step=1, node=3, hypothesis=0)
    tree = view.locator(".tv-tree")
    bring_plotly(tree)
    click_point(tree, tree.evaluate(NODE_AT, 4))
    expect_selection(view, step=1, node=4, hypothesis=1)
    view.locator(".tv-views").select_option("hypotheses")
    expect(view.locator(".tv-hypotheses")).to_be_visible()
    expect(view.locator(".tv-pane:visible")).to_have_count(1)
    view.page.keyboard.press("Escape")
    expect(view.locator(".tv-pane:visible")).to_have_count(3)
    view.page.wait_for_function(f"!({DRAWN_ANEW})([{'.tv-tree'!r}, {before['width']}])")
    assert measurements(view, ".tv-tree") == pytest.approx(before)


@pytest.mark.full
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_an_address_opens_the_page_for_a_projector(
    page: Page, app_url: str, size: tuple[int, int], subtests: pytest.Subtests
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    view = page.locator("#trace .trace-view")
    visit(page, f"{app_url}?__projector=1")
    for theme, ink in (("light", "rgb(0, 0, 0)"), ("dark", "rgb(255, 255, 255)")):
        with subtests.test("output, stepper and one view fill the screen", theme=theme):
            expect(view.locator(".tv-result")).to_have_css("color", ink)
            for part in (".tv-result", ".tv-strip", ".tv-stepper", ".tv-pane:visible"):
                expect(view.locator(part)).to_be_in_viewport(ratio=1)
            assert page.evaluate(OTHERS) == []
        page.goto(f"{app_url}?__projector=1&__theme=dark")
        wait_for_result(page, 0)
    with subtests.test("the view that a reader chooses stays after a reload"):
        view.locator(".tv-views").select_option("tree")
        expect(view.locator(".tv-tree .tv-painting")).to_be_in_viewport()
        page.reload()
        wait_for_result(page, 0)
        expect(view.locator(".tv-views")).to_have_value("tree")
        expect(view).to_have_class(re.compile("tv-filling"))
    with subtests.test("Escape leaves, and so does the address"):
        page.keyboard.press("Escape")
        expect(view.locator(".tv-pane:visible")).to_have_count(3)
        expect(page).not_to_have_url(re.compile("__projector"))
    with subtests.test("a pane's menu writes the address again"):
        fill(view, "centre")
        expect(page).to_have_url(re.compile("[?&]__projector=1"))
