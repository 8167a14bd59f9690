"""The Tab key: few presses to the main controls, one stop for a choice, and a visible focus."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.controls import tabs_to
from tests.browser.decode_page import open_chip, open_more, open_rail, source

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


def test_the_source_is_near_to_the_beginning_of_the_page(app_page: Page) -> None:
    app_page.keyboard.press("Tab")
    expect(app_page.locator(".skip-link")).to_be_in_viewport()
    app_page.keyboard.press("Enter")
    expect(source(app_page)).to_be_focused()
    assert tabs_to(app_page, "#source textarea", TO_SOURCE - 1) < TO_SOURCE


def test_the_stepper_is_near_to_the_source(app_page: Page) -> None:
    source(app_page).focus()
    assert tabs_to(app_page, "#trace .tv-range", TO_STEPPER) <= TO_STEPPER


def test_a_choice_is_one_stop_of_the_tab_key(app_page: Page) -> None:
    open_rail(app_page)
    app_page.locator("#strategy-chip .chip-button").focus()
    assert tabs_to(app_page, "#strategy-card input[type=radio]", STOPS) <= STOPS
    expect(app_page.locator("#strategy-card input[type=radio]:checked").first).to_be_focused()
    app_page.keyboard.press("Tab")
    inside = "document.activeElement.matches('#strategy input[type=radio]')"
    assert not app_page.evaluate(inside), "the next option of the same choice"


def test_the_tab_key_opens_no_list(app_page: Page) -> None:
    open_chip(app_page, "checkpoint")
    app_page.locator("#checkpoint-name .chip-button").focus()
    assert tabs_to(app_page, "#checkpoint input", STOPS) <= STOPS
    options = app_page.locator("#checkpoint").get_by_role("option")
    expect(options).to_have_count(0)
    app_page.keyboard.press("ArrowDown")
    expect(options.first).to_be_visible()


def test_the_focus_is_visible_at_every_stop(app_page: Page) -> None:
    open_rail(app_page)
    app_page.locator("body").click(position={"x": 2, "y": 2})
    unseen: list[Any] = []
    for _ in range(STOPS):
        app_page.keyboard.press("Tab")
        focused = app_page.evaluate(FOCUS)
        if focused is not None and not focused["seen"]:
            unseen.append(focused["name"])
    assert unseen == []


def test_a_menu_is_used_by_keys(app_page: Page) -> None:
    button = app_page.locator("#trace .tv-pane[data-pane=centre] .mn-button")
    button.focus()
    app_page.keyboard.press("Enter")
    expect(app_page.get_by_label("show pruned")).to_be_focused()
    app_page.keyboard.press("ArrowDown")
    expect(app_page.get_by_role("button", name="Download the tree chart as PNG")).to_be_focused()
    app_page.keyboard.press("ArrowUp")
    app_page.keyboard.press("ArrowUp")
    expect(app_page.get_by_role("button", name="Fill the screen with Search")).to_be_focused()
    app_page.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-step", "0")


def test_a_menu_closes_when_the_focus_leaves_it(app_page: Page) -> None:
    open_more(app_page, "centre")
    open_more(app_page, "right")
    expect(app_page.locator("#trace .mn-panel:visible")).to_have_count(1)
    source(app_page).click()
    expect(app_page.locator("#trace .mn-panel:visible")).to_have_count(0)


def test_the_rail_closes_at_escape(app_page: Page) -> None:
    open_rail(app_page)
    app_page.locator("#strategy-card input[type=radio]:checked").first.focus()
    app_page.keyboard.press("Escape")
    expect(app_page.locator("#strategy-card")).to_be_hidden()
    expect(app_page.locator("#strategy-chip .chip-button")).to_be_focused()
