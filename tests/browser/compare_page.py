"""A visitor's actions on the Compare tab, as functions of a page."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page

from tests.browser.decode_page import open_page_tab


def visit_comparison(page: Page, url: str) -> None:
    """Open the tab and wait for its example."""
    page.goto(url)
    open_page_tab(page, "compare")
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


def comparison(page: Page) -> list[str]:
    """The texts of a comparison, without the times."""
    parts = page.locator("#comparison :is(.cp-summary, .cp-what, .cp-output, .cp-pin, .cp-words)")
    return parts.locator("visible=true").all_inner_texts()


def choose_mode(page: Page, label: str) -> None:
    page.locator("#compare-mode").get_by_label(label).check(force=True)


def tick(page: Page, *names: str, picker: str = "#compare-strategies") -> None:
    """Tick exactly these strategies."""
    for box in page.locator(f"{picker} .sp-option label").all():
        is_named = box.inner_text().strip() in names
        box.locator("input").set_checked(is_named)


def rows(page: Page) -> Locator:
    return page.locator(".cp-rows tbody tr")


def take_pictures(page: Page, folder: Path) -> None:
    """Download the comparison as PNG and SVG."""
    for index, start in ((1, b"\x89PNG"), (2, b"<svg")):
        with page.expect_download() as download:
            page.locator(".cp-file").nth(index).click()
        saved = folder / f"picture{index}"
        download.value.save_as(saved)
        assert saved.read_bytes().startswith(start)
        assert saved.stat().st_size > 5000
