"""A visitor's actions on the Decode tab, as functions of a page."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page

SPANISH, REVERSE = "spa-eng-gru", "reverse-gru"
EXAMPLE = "Ganó el premio."
# Bottom of an element, or of its pane where that ends above it, in pixels of the page.
BOTTOM = """selector => {
  const element = document.querySelector(selector);
  const box = element.getBoundingClientRect();
  const pane = element.closest(".tv-pane-body")?.getBoundingClientRect();
  if (!box.height) return Infinity;
  if (pane && box.top > pane.bottom - 100) return Infinity;
  return Math.min(box.bottom, pane?.bottom ?? Infinity) + scrollY;
}"""

# The value of the first view of a pane in the list of a phone, which has one group for each pane.
FIRST_OF_PANE = """(groups, pane) => groups
  .map((group) => group.firstElementChild.value)
  .find((name) => document.querySelector(`.tv-pane[data-pane=${pane}] [data-tab=${name}]`))"""


def visit(page: Page, url: str) -> None:
    page.goto(url)
    wait_for_result(page, 0)


def open_page_tab(page: Page, name: str) -> None:
    """Open a tab of the page by its id; on a phone the open tab unfolds the others."""
    tabs = page.locator("#tabs > .tab-wrapper")
    tabs.locator("[aria-selected=true]").first.wait_for()
    tab = tabs.locator(f"[data-tab-id={name}]").first
    if not tab.is_visible():
        tabs.locator("[aria-selected=true]").first.click()
    tab.click()


def results(page: Page) -> int:
    """The number of results that the page has drawn completely."""
    return int(page.locator("#trace .trace-view").get_attribute("data-ready") or 0)


def wait_for_result(page: Page, after: int) -> None:
    """Wait until more than `after` results are drawn."""
    script = "after => Number(document.querySelector('#trace .trace-view')?.dataset.ready) > after"
    page.wait_for_function(script, arg=after)


def source(page: Page) -> Locator:
    return page.locator("#source textarea")


def chips(page: Page) -> list[str]:
    return page.locator("#source-tokens .st-chip").all_text_contents()


def hypotheses(page: Page) -> list[str]:
    return page.locator(".tv-hypotheses li").all_text_contents()


def decode(page: Page, text: str) -> list[str]:
    """Type a text, decode it by keyboard, and return its hypotheses."""
    before = results(page)
    source(page).fill(text)
    source(page).press("Control+Enter")
    wait_for_result(page, before)
    return hypotheses(page)


def open_chip(page: Page, name: str) -> None:
    """Open a chip of the bar: `checkpoint`, `examples`, `results` or `share`."""
    chip = page.locator(f"#{name}-chip .chip-button")
    unfold(page, chip)
    if chip.get_attribute("aria-expanded") != "true":
        chip.click()


def unfold(page: Page, tool: Locator) -> None:
    """Show a tool of the bar that a phone has behind three dots."""
    dots = page.locator("#more-tools button")
    if dots.is_visible() and not tool.is_visible():
        dots.click()


def open_rail(page: Page) -> None:
    """Show the settings of the strategy."""
    chip = page.locator("#strategy-chip .chip-button")
    if chip.get_attribute("aria-expanded") != "true":
        chip.click()


def open_tab(view: Page | Locator, name: str) -> None:
    """Show a card by its tab, on a phone by its pane first; for a whole page, that of Decode."""
    view = view.locator("#trace") if isinstance(view, Page) else view
    card = view.locator(f".tv-pane [data-card={name}]")
    whole = card.evaluate("card => (card.parentElement.closest('[data-card]') ?? card).dataset.card")
    tab = view.locator(f"[role=tab][data-tab={whole}]")
    views = view.locator(".tv-views")
    if views.is_visible():
        views.select_option(whole)
    elif tab.is_visible():
        tab.click()
    else:
        show_pane(view, tab.evaluate("tab => tab.closest('.tv-pane').dataset.pane"))
        tab.click()
    if whole != name:
        fold = card.locator("> details:not([open]) > summary")
        if fold.count():
            fold.click()
        card.scroll_into_view_if_needed()


def show_pane(view: Locator, pane: str) -> None:
    """Show a pane on a screen that shows one at a time."""
    views = view.locator(".tv-views")
    if views.is_visible():
        views.select_option(views.locator("optgroup").evaluate_all(FIRST_OF_PANE, pane))
    else:
        view.locator(f"[data-pane-shown={pane}]").click()


def open_more(view: Page | Locator, pane: str) -> Locator:
    """The open menu of a pane: `left`, `centre`, `right` or `inspect`; for a whole page, that of Decode."""
    view = view.locator("#trace") if isinstance(view, Page) else view
    button = view.locator(f".tv-pane[data-pane={pane}] .mn-button")
    if not button.is_visible():
        show_pane(view, pane)
    if button.get_attribute("aria-expanded") != "true":
        button.click()
    return view.locator(f".tv-pane[data-pane={pane}] .mn-panel")


def open_share(page: Page, tab: str = "decode") -> None:
    """Open the chip with the link of a tab and its downloads."""
    chip = page.locator(f".share-chip:has(#share-{tab}) .chip-button")
    unfold(page, chip)
    if chip.get_attribute("aria-expanded") != "true":
        chip.click()


def choose_example(page: Page, index: int) -> str:
    """Decode one of the examples and return its text."""
    open_chip(page, "examples")
    example = page.locator("#examples button").nth(index)
    text = example.inner_text()
    example.click()
    return text


def title_of(name: str) -> re.Pattern[str]:
    """The name of a checkpoint in a list: perhaps words, then its own name."""
    return re.compile(rf"(^| · ){re.escape(name)}$".replace("/", r"\/"))


def choose_checkpoint(page: Page, name: str) -> None:
    before = results(page)
    open_chip(page, "checkpoint")
    page.locator("#checkpoint input").click()
    page.get_by_role("option", name=title_of(name)).click()
    wait_for_result(page, before)


def canvas(page: Page) -> Locator:
    return page.locator("#picture .pi-canvas")


def stamp(page: Page, what: str, x: float, y: float) -> None:
    """Draw a shape at a position in shares of a side."""
    colour, shape = what.split(" ", 1)
    page.locator("#picture").get_by_label(colour, exact=True).check(force=True)
    page.locator("#picture").get_by_label(shape, exact=True).check(force=True)
    box = canvas(page).bounding_box()
    assert box is not None
    canvas(page).click(position={"x": x * box["width"], "y": y * box["height"]})


def choose(page: Page, strategy: str, *, decodes: bool = True) -> None:
    """Choose a strategy, which decodes at once unless it was chosen already or is refused."""
    open_rail(page)
    radio = page.get_by_label(strategy, exact=True)
    if not radio.is_visible():
        page.locator(".more-strategies input").check()
    before, changes = results(page), not radio.is_checked()
    radio.check(force=True)
    if changes and decodes:
        wait_for_result(page, before)


def control(page: Page, label: str) -> Locator:
    """The number field of a setting, by its label on the page."""
    return page.get_by_label(f"number input for {label}", exact=True)


def change(page: Page, label: str, value: str) -> None:
    """Change the value of a setting, which decodes at once."""
    before = results(page)
    control(page, label).fill(value)
    control(page, label).press("Tab")
    wait_for_result(page, before)
