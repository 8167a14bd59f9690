"""What a visitor does on the Decode tab, as functions of a page."""

from __future__ import annotations

from playwright.sync_api import Locator, Page

SPANISH, REVERSE = "spa-eng-gru", "reverse-gru"
EXAMPLE = "Ganó el premio."


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


def open_chip(page: Page, name: str) -> None:
    """Open what a chip of the bar holds: `checkpoint`, `tokens`, `examples` or `share`."""
    chip = page.locator(f"#{name}-chip .chip-button")
    if chip.get_attribute("aria-expanded") != "true":
        chip.click()


def open_rail(page: Page) -> None:
    """Show the settings of the strategy."""
    chip = page.locator("#strategy-chip .chip-button")
    if chip.get_attribute("aria-expanded") != "true":
        chip.click()


def open_tab(view: Page | Locator, name: str) -> None:
    """Show a card, which is a tab of its pane; on a phone its pane first. Of a page it is that of Decode."""
    view = view.locator("#trace") if isinstance(view, Page) else view
    tab = view.locator(f"[role=tab][data-tab={name}]")
    if not tab.is_visible():
        pane = tab.evaluate("tab => tab.closest('.tv-pane').dataset.pane")
        view.locator(f"[data-pane-shown={pane}]").click()
    tab.click()


def choose_example(page: Page, index: int) -> str:
    """Decode one of the examples; returns its text."""
    open_chip(page, "examples")
    example = page.locator("#examples button").nth(index)
    text = example.inner_text()
    example.click()
    return text


def choose_checkpoint(page: Page, name: str) -> None:
    before = results(page)
    open_chip(page, "checkpoint")
    page.locator("#checkpoint input").click()
    page.get_by_role("option", name=name).click()
    wait_for_result(page, before)


def choose(page: Page, strategy: str, *, decodes: bool = True) -> None:
    """Choose a strategy, which decodes at once, unless it is chosen already or refused."""
    open_rail(page)
    radio = page.get_by_label(strategy, exact=True)
    before, changes = results(page), not radio.is_checked()
    radio.check(force=True)
    if changes and decodes:
        wait_for_result(page, before)


def control(page: Page, label: str) -> Locator:
    """The number field of a setting, as the page names it."""
    return page.get_by_label(f"number input for {label}", exact=True)


def change(page: Page, label: str, value: str) -> None:
    """Give a setting another value, which decodes at once."""
    before = results(page)
    control(page, label).fill(value)
    control(page, label).press("Tab")
    wait_for_result(page, before)
