"""Opened parts scroll into view with their heading, and the main button of a tab is a few keys away."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.compare_page import visit_comparison, wait_for_comparison
from tests.browser.decode_page import open_chip, visit
from tests.browser.evaluate.evaluate_page import wait_for_evaluation
from tests.grids import full_only

LOW = {"width": 1280, "height": 560}  # pixels: little is in sight
PHONE = {"width": 390, "height": 844}
MAX_TABS = 10  # from a tab to its main button
# The heading stands within the window, and nothing moves any more.
IN_SIGHT = """async (heading) => {
  let before = NaN;
  for (let still = 0; still < 3; ) {
    await new Promise((done) => setTimeout(done, 100));
    const { top } = heading.getBoundingClientRect();
    still = top === before ? still + 1 : 0;
    before = top;
  }
  const { top, bottom } = heading.getBoundingClientRect();
  return top >= 0 && bottom <= window.innerHeight;
}"""


def open_lab(page: Page, url: str) -> Iterator[str]:
    page.goto(f"{url}?tab=learn&lab=bleu")
    expect(page.locator(".labs[data-lab='bleu']:not([data-ready='0'])")).to_be_visible()
    yield ".lb-lab h3"
    page.locator(".lb-script button").first.click()
    expect(page.locator(".lb-script pre")).to_be_visible()
    yield ".lb-script button"


def open_lab_of_the_list(page: Page, url: str) -> Iterator[str]:
    page.goto(f"{url}?tab=learn")
    expect(page.locator(".labs:not([data-ready='0'])")).to_be_visible()
    page.locator(".lb-list button").last.click()
    yield ".lb-lab h3"


def open_comparison(page: Page, url: str) -> Iterator[str]:
    visit_comparison(page, url)
    page.locator(".cp-verdict summary").click()
    yield ".cp-verdict h3"
    page.locator(".cp-rows .cp-open").last.click()
    expect(page.locator("#compare-trace .trace-view:not([data-ready='0'])")).to_be_visible()
    yield ".cp-opened"


def open_evaluation(page: Page, url: str) -> Iterator[str]:
    page.goto(f"{url}?tab=evaluate")
    view = wait_for_evaluation(page)
    page.locator(".ev-parts button").last.click()
    yield ".ev-part h3"
    view.locator(".ev-row").nth(2).click()
    yield ".ev-detail dt"


def open_card(page: Page, url: str) -> Iterator[str]:
    page.goto(f"{url}?tab=checkpoints")
    page.locator(".cg-more").last.click()
    yield ".cg-more[aria-expanded='true']"


OPENED = {  # each opens parts one after the other and yields their headings
    opener.__name__.removeprefix("open_"): opener
    for opener in (open_lab, open_lab_of_the_list, open_comparison, open_evaluation, open_card)
}


@pytest.mark.parametrize("size", [LOW, *full_only([PHONE])], ids=str)
@pytest.mark.parametrize("name", OPENED)
def test_an_opened_parts_heading_is_scrolled_into_view(
    page: Page, app_url: str, name: str, size: dict[str, int]
) -> None:
    page.set_viewport_size(size)
    for selector in OPENED[name](page, app_url):
        heading = page.locator(selector).first
        expect(heading).to_be_visible()
        assert heading.evaluate(IN_SIGHT), selector


def test_the_unfolded_form_for_teaching_is_scrolled_into_view(page: Page, app_url: str) -> None:
    page.set_viewport_size(LOW)
    visit(page, app_url)
    open_chip(page, "share")
    fold = page.locator("#teach > button")
    fold.evaluate("(button) => button.click()")
    expect(page.locator("#teach-text")).to_be_visible()
    assert fold.evaluate(IN_SIGHT)


MAIN_BUTTONS: dict[str, tuple[str, Callable[[Page], object]]] = {  # and when a tab is ready
    "Compare": ("compare-run-strategies", lambda page: wait_for_comparison(page, 0)),
    "Evaluate": ("evaluate-run", wait_for_evaluation),
    "Training": ("train-begin", lambda page: expect(page.locator("#train-begin")).to_be_visible()),
}


def test_a_tabs_main_button_is_a_few_presses_of_tab_away(app_page: Page) -> None:
    for name, (button, wait_until_ready) in MAIN_BUTTONS.items():
        tab = app_page.get_by_role("tab", name=name)
        tab.click()
        wait_until_ready(app_page)
        tab.focus()
        stops = []
        while button not in stops and len(stops) < MAX_TABS:
            app_page.keyboard.press("Tab")
            stops.append(app_page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        assert button in stops
        assert "BODY" not in stops  # a list that was left keeps the place
