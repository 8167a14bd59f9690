"""A visitor's actions on the Compare tab, as functions of a page."""

from __future__ import annotations

from playwright.sync_api import Locator, Page


def visit_comparison(page: Page, url: str) -> None:
    """Open the tab and wait for its example."""
    page.goto(url)
    page.get_by_role("tab", name="Compare").click()
    wait_for_comparison(page, 0)


def comparisons(page: Page) -> int:
    """The number of comparisons that the page has drawn completely."""
    return int(page.locator("#comparison .compare").get_attribute("data-ready") or 0)


def wait_for_comparison(page: Page, after: int) -> None:
    script = "after => Number(document.querySelector('#comparison .compare')?.dataset.ready) > after"
    page.wait_for_function(script, arg=after)


def compare(page: Page, mode: str = "strategies") -> None:
    """Press Compare and wait for the last row."""
    before = comparisons(page)
    page.locator(f"#compare-run-{mode}").click()
    wait_for_comparison(page, before)


def choose_mode(page: Page, label: str) -> None:
    page.locator("#compare-mode").get_by_label(label).check(force=True)


def tick(page: Page, *names: str) -> None:
    """Tick exactly these strategies."""
    for box in page.locator("#compare-strategies .sp-option label").all():
        is_named = box.inner_text().strip() in names
        box.locator("input").set_checked(is_named)


def rows(page: Page) -> Locator:
    return page.locator(".cp-rows tbody tr")
