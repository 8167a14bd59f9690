"""A walk through the tabs: few keys to a main button, opened parts in view, and each term marked once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.compare_page import wait_for_comparison
from tests.browser.decode_page import open_chip, wait_for_result
from tests.browser.evaluate.evaluate_page import wait_for_evaluation
from tests.browser.page.test_axe_states import SIZES
from tests.browser.page.test_glossary_page import MARKED_ONCE
from tests.grids import release_only

LOW: ViewportSize = {"width": 1280, "height": 560}  # pixels: little is in sight
MAX_TABS = 10  # from a tab to its main button
# A word of the example's reference that no output has at its place.
MISSING = "#comparison .cp-rows del:text-is('village')"
# The heading comes to stand within the window, and nothing moves any more; a busy page draws late.
IN_SIGHT = """async (heading) => {
  let [before, still] = [NaN, 0];
  for (let looks = 0; looks < 400; looks += 1) {
    await new Promise((done) => setTimeout(done, 100));
    const { top, bottom } = heading.getBoundingClientRect();
    still = top === before ? still + 1 : 0;
    before = top;
    if (still >= 3 && top >= 0 && top < bottom && bottom <= window.innerHeight) return true;
  }
  return false;
}"""


def open_in_compare(page: Page) -> Iterator[str]:
    page.locator(".cp-verdict summary").click()
    yield ".cp-verdict h3"
    page.locator(".cp-rows .cp-open").last.click()
    expect(page.locator("#compare-trace .trace-view:not([data-ready='0'])")).to_be_visible()
    yield ".cp-opened"


def open_in_evaluate(page: Page) -> Iterator[str]:
    page.locator(".ev-parts button").last.click()
    yield ".ev-part h3"
    page.locator(".ev-row").nth(2).click()
    yield ".ev-detail dt"


def open_in_checkpoints(page: Page) -> Iterator[str]:
    page.locator(".cg-more").last.click()
    yield ".cg-more[aria-expanded='true']"


def open_in_learn(page: Page) -> Iterator[str]:
    page.locator(".lb-list button").last.click()
    yield ".lb-lab h3"


def open_in_decode(page: Page) -> Iterator[str]:
    open_chip(page, "share")
    page.locator("#teach > button").evaluate("(button) => button.click()")
    expect(page.locator("#teach-text")).to_be_visible()
    yield "#teach > button"


def open_linked_lab(page: Page) -> Iterator[str]:
    yield ".lb-lab h3"
    page.locator(".lb-script button").first.click()
    expect(page.locator(".lb-script pre")).to_be_visible()
    yield ".lb-script button"


# A function that opens parts of a tab and yields their headings, one that waits for the tab, its main button.
TABS: dict[str, tuple[Callable[[Page], Iterator[str]] | None, Callable[[Page], object], str]] = {
    "Compare": (open_in_compare, lambda page: wait_for_comparison(page, 0), "compare-run-strategies"),
    "Evaluate": (open_in_evaluate, wait_for_evaluation, "evaluate-run"),
    "Checkpoints": (
        open_in_checkpoints,
        lambda page: page.wait_for_selector("#gallery [data-state=shown]"),
        "",
    ),
    "Training": (None, lambda page: page.wait_for_selector("#train-begin"), "train-begin"),
    "Learn": (open_in_learn, lambda page: page.wait_for_selector(".labs:not([data-ready='0'])"), ""),
    "Decode": (open_in_decode, lambda page: wait_for_result(page, 0), ""),
}


@pytest.mark.parametrize("size", [LOW, *release_only([SIZES["phone"]])], ids=str)
def test_a_reader_walks_through_the_tabs(
    page: Page, app_url: str, size: ViewportSize, subtests: pytest.Subtests
) -> None:
    page.set_viewport_size(size)
    page.goto(f"{app_url}?tab=compare&sort=-logProb&hide=reference,verdict")
    wait_for_comparison(page, 0)
    with subtests.test("a link may only sort a comparison"):
        expect(page.locator("#comparison th[aria-sort=descending]")).to_contain_text("log p")
    with subtests.test("a hidden reference is not compared until Show all"):
        expect(page.locator(".cp-rows tbody tr")).not_to_have_count(0)
        expect(page.locator(MISSING)).to_have_count(0)
        page.get_by_role("button", name="Show all").click()
        expect(page.locator(MISSING)).not_to_have_count(0)
    for name, (open_parts, wait_until_ready, main_button) in TABS.items():
        tabs = page.locator("#tabs > .tab-wrapper")
        tab = tabs.get_by_role("tab", name=name, exact=True)
        if not tab.is_visible():  # on a phone the open one unfolds the others
            tabs.locator("[aria-selected=true]").click()
        tab.click()
        wait_until_ready(page)
        if main_button:
            with subtests.test("a main button is a few presses of Tab away", tab=name):
                tab.focus()
                expect_near(page, main_button)
        with subtests.test("each term is marked once", tab=name):
            page.wait_for_function(MARKED_ONCE)
        if open_parts:
            with subtests.test("opened parts are scrolled into view", tab=name):
                expect_in_sight(page, open_parts)
    with subtests.test("a lab of a link is scrolled into view"):
        page.goto(f"{app_url}?tab=learn&lab=bleu")
        expect(page.locator(".labs[data-lab='bleu']:not([data-ready='0'])")).to_be_visible()
        expect_in_sight(page, open_linked_lab)


def expect_near(page: Page, button: str) -> None:
    stops: list[str] = []
    while button not in stops and len(stops) < MAX_TABS:
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
    assert button in stops
    assert "BODY" not in stops  # a list that was left keeps the place


def expect_in_sight(page: Page, open_parts: Callable[[Page], Iterator[str]]) -> None:
    for selector in open_parts(page):
        heading = page.locator(selector).first
        expect(heading).to_be_visible()
        assert heading.evaluate(IN_SIGHT), selector
