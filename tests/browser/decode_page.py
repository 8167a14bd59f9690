"""What a visitor does on the Decode tab, as functions of a page."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

SPANISH, REVERSE = "spa-eng-gru", "reverse-gru"
EXAMPLE = "¿Dónde está la biblioteca?"


def visit(page: Page, url: str) -> None:
    page.goto(url)
    wait_for_result(page, 0)


def results(page: Page) -> int:
    """How many results the page has drawn to the end."""
    return int(page.locator("#trace .trace-view").get_attribute("data-ready") or 0)


def wait_for_result(page: Page, after: int) -> None:
    """Wait until one more result than `after` is drawn."""
    script = "after => Number(document.querySelector('#trace .trace-view')?.dataset.ready) > after"
    page.wait_for_function(script, arg=after)


def source(page: Page) -> Locator:
    return page.locator("#source textarea")


def chips(page: Page) -> list[str]:
    return page.locator("#source-tokens .st-chip").all_text_contents()


def hypotheses(page: Page) -> list[str]:
    return page.locator(".tv-hypotheses li").all_text_contents()


def decode(page: Page, text: str) -> list[str]:
    """Type a text, decode it by keyboard, return the hypotheses that are shown then."""
    before = results(page)
    source(page).fill(text)
    source(page).press("Control+Enter")
    wait_for_result(page, before)
    return hypotheses(page)


def choose_checkpoint(page: Page, name: str) -> None:
    before = results(page)
    page.locator("#checkpoint input").click()
    page.get_by_role("option", name=name).click()
    wait_for_result(page, before)


def choose(page: Page, strategy: str) -> None:
    page.get_by_label(strategy, exact=True).check(force=True)


def control(page: Page, label: str) -> Locator:
    """The number field of a setting, as the page names it."""
    return page.get_by_label(f"number input for {label}", exact=True)
