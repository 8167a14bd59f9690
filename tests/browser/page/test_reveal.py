"""Opened parts scroll into view with their heading, and the main button of a tab is a few keys away."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.compare_page import visit_comparison
from tests.browser.decode_page import open_chip, visit
from tests.browser.evaluate.evaluate_page import STRATEGIES, wait_for_evaluation
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


def open_lab(page: Page, url: str) -> str:
    page.goto(f"{url}?tab=learn")
    expect(page.locator(".labs:not([data-ready='0'])")).to_be_visible()
    page.locator(".lb-list button").last.click()
    return ".lb-lab h3"


def open_linked_lab(page: Page, url: str) -> str:
    page.goto(f"{url}?tab=learn&lab=bleu")
    expect(page.locator(".labs[data-lab='bleu']:not([data-ready='0'])")).to_be_visible()
    return ".lb-lab h3"


def open_program(page: Page, url: str) -> str:
    open_linked_lab(page, url)
    page.locator(".lb-script button").first.click()
    expect(page.locator(".lb-script pre")).to_be_visible()
    return ".lb-script button"


def open_compared_row(page: Page, url: str) -> str:
    visit_comparison(page, url)
    page.locator(".cp-rows .cp-open").last.click()
    expect(page.locator("#compare-trace .trace-view:not([data-ready='0'])")).to_be_visible()
    return ".cp-opened"


def open_verdict(page: Page, url: str) -> str:
    visit_comparison(page, url)
    page.locator(".cp-verdict summary").click()
    return ".cp-verdict h3"


def open_part(page: Page, url: str) -> str:
    page.goto(f"{url}?tab=evaluate&{STRATEGIES}")
    wait_for_evaluation(page)
    page.locator(".ev-parts button").last.click()
    return ".ev-part h3"


def open_segment(page: Page, url: str) -> str:
    page.goto(f"{url}?tab=evaluate&{STRATEGIES}")
    wait_for_evaluation(page).locator(".ev-row").nth(2).click()
    return ".ev-detail dt"


def open_card(page: Page, url: str) -> str:
    page.goto(f"{url}?tab=checkpoints")
    page.locator(".cg-more").last.click()
    return ".cg-more[aria-expanded='true']"


OPENED = {
    opener.__name__.removeprefix("open_"): opener
    for opener in (
        open_lab,
        open_linked_lab,
        open_program,
        open_compared_row,
        open_verdict,
        open_part,
        open_segment,
        open_card,
    )
}


@pytest.mark.parametrize("size", [LOW, *full_only([PHONE])], ids=str)
@pytest.mark.parametrize("name", OPENED)
def test_the_heading_of_what_is_opened_is_in_sight(
    page: Page, app_url: str, name: str, size: dict[str, int]
) -> None:
    page.set_viewport_size(size)
    heading = page.locator(OPENED[name](page, app_url)).first
    expect(heading).to_be_visible()
    assert heading.evaluate(IN_SIGHT)


def test_teaching_is_in_sight_once_it_is_unfolded(page: Page, app_url: str) -> None:
    page.set_viewport_size(LOW)
    visit(page, app_url)
    open_chip(page, "share")
    fold = page.locator("#teach > button")
    fold.evaluate("(button) => button.click()")
    expect(page.locator("#teach-text")).to_be_visible()
    assert fold.evaluate(IN_SIGHT)


def ready_to_compare(page: Page, url: str) -> str:
    visit_comparison(page, url)
    return "compare-run-strategies"


def ready_to_evaluate(page: Page, url: str) -> str:
    page.goto(f"{url}?tab=evaluate")
    wait_for_evaluation(page)
    return "evaluate-run"


def ready_to_train(page: Page, url: str) -> str:
    page.goto(f"{url}?tab=training")
    expect(page.locator("#train-begin")).to_be_visible()
    return "train-begin"


@pytest.mark.parametrize(
    ("tab", "ready"),
    [("Compare", ready_to_compare), ("Evaluate", ready_to_evaluate), ("Training", ready_to_train)],
)
def test_the_main_button_is_a_few_keys_from_its_tab(
    page: Page, app_url: str, tab: str, ready: Callable[[Page, str], str]
) -> None:
    button = ready(page, app_url)
    page.get_by_role("tab", name=tab).focus()
    stops = []
    while button not in stops and len(stops) < MAX_TABS:
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.id || document.activeElement.tagName"))
    assert button in stops
    assert "BODY" not in stops  # a list that was left keeps the place
