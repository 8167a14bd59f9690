"""The Tab key: few presses to the main controls, one stop for a choice, and a visible focus."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations
from tests.browser.controls import tabs_to
from tests.browser.decode_page import open_chip, open_more, open_rail, source, visit
from tests.browser.page.test_axe_states import LONG

TO_SOURCE, TO_STEPPER = 3, 10  # presses of Tab
STOPS = 70  # more than the Decode tab has
# Whether the element with the focus, or the label or box that is drawn for it, has an outline of two pixels.
FOCUS = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const ring = (element) => {
    const style = getComputedStyle(element);
    const outline = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    return outline && !style.outlineColor.endsWith(", 0)");
  };
  const shown = [at, at.nextElementSibling, at.closest("label"), at.closest(".wrap")];
  return { name: at.outerHTML.slice(0, 120), seen: shown.filter(Boolean).some(ring) };
}"""


def test_a_reader_works_without_a_mouse(page: Page, app_url: str, subtests: pytest.Subtests) -> None:
    visit(page, f"{app_url}?{LONG}")
    with subtests.test("the source is near to the beginning of the page"):
        page.keyboard.press("Tab")
        expect(page.locator(".skip-link")).to_be_in_viewport()
        page.keyboard.press("Enter")
        expect(source(page)).to_be_focused()
        assert tabs_to(page, "#source textarea", TO_SOURCE - 1) < TO_SOURCE
    with subtests.test("the stepper is near to the source"):
        source(page).focus()
        assert tabs_to(page, "#trace .tv-range", TO_STEPPER) <= TO_STEPPER
    with subtests.test("a menu is used by keys"):
        use_a_menu(page)
    with subtests.test("a menu closes when the focus leaves it"):
        open_more(page, "centre")
        open_more(page, "right")
        expect(page.locator("#trace .mn-panel:visible")).to_have_count(1)
        source(page).click()
        expect(page.locator("#trace .mn-panel:visible")).to_have_count(0)
    open_rail(page)
    with subtests.test("a choice is one stop of the Tab key"):
        pass_a_choice(page)
    with subtests.test("the focus is visible at every stop"):
        assert stops_without_ring(page) == []
    with subtests.test("the rail beside a long row breaks no rule of accessibility"):
        page.locator("#trace .tv-out").last.click()
        assert violations(page, "body") == []
    with subtests.test("the rail closes at Escape"):
        page.locator("#strategy-card input[type=radio]:checked").first.focus()
        page.keyboard.press("Escape")
        expect(page.locator("#strategy-card")).to_be_hidden()
        expect(page.locator("#strategy-chip .chip-button")).to_be_focused()
    with subtests.test("the Tab key opens no list"):
        pass_a_list(page)


def use_a_menu(page: Page) -> None:
    button = page.locator("#trace .tv-pane[data-pane=centre] .mn-button")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("show pruned")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Download the tree chart as PNG")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("button", name="Fill the screen with Search")).to_be_focused()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-step", "0")


def pass_a_choice(page: Page) -> None:
    page.locator("#strategy-chip .chip-button").focus()
    assert tabs_to(page, "#strategy-card input[type=radio]", STOPS) <= STOPS
    expect(page.locator("#strategy-card input[type=radio]:checked").first).to_be_focused()
    page.keyboard.press("Tab")
    inside = "document.activeElement.matches('#strategy input[type=radio]')"
    assert not page.evaluate(inside), "the next option of the same choice"


def stops_without_ring(page: Page) -> list[Any]:
    page.locator("body").click(position={"x": 2, "y": 2})
    unseen: list[Any] = []
    for _ in range(STOPS):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUS)
        if focused is not None and not focused["seen"]:
            unseen.append(focused["name"])
    return unseen


def pass_a_list(page: Page) -> None:
    open_chip(page, "checkpoint")
    page.locator("#checkpoint-name .chip-button").focus()
    assert tabs_to(page, "#checkpoint input", STOPS) <= STOPS
    options = page.locator("#checkpoint").get_by_role("option")
    expect(options).to_have_count(0)
    page.keyboard.press("ArrowDown")
    expect(options.first).to_be_visible()
