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


def test_the_source_is_near_to_the_beginning_of_the_page(opened: Page) -> None:
    opened.keyboard.press("Tab")
    expect(opened.locator(".skip-link")).to_be_in_viewport()
    opened.keyboard.press("Enter")
    expect(source(opened)).to_be_focused()
    assert tabs_to(opened, "#source textarea", TO_SOURCE - 1) < TO_SOURCE


def test_the_stepper_is_near_to_the_source(opened: Page) -> None:
    source(opened).focus()
    assert tabs_to(opened, "#trace .tv-range", TO_STEPPER) <= TO_STEPPER


def test_a_choice_is_one_stop(opened: Page) -> None:
    open_rail(opened)
    opened.locator("#strategy-chip .chip-button").focus()
    assert tabs_to(opened, "#strategy-card input[type=radio]", STOPS) <= STOPS
    expect(opened.locator("#strategy-card input[type=radio]:checked").first).to_be_focused()
    opened.keyboard.press("Tab")
    inside = "document.activeElement.matches('#strategy input[type=radio]')"
    assert not opened.evaluate(inside), "the next option of the same choice"


def test_the_tab_key_opens_no_list(opened: Page) -> None:
    open_chip(opened, "checkpoint")
    opened.locator("#checkpoint-name .chip-button").focus()
    assert tabs_to(opened, "#checkpoint input", STOPS) <= STOPS
    options = opened.locator("#checkpoint").get_by_role("option")
    expect(options).to_have_count(0)
    opened.keyboard.press("ArrowDown")
    expect(options.first).to_be_visible()


def test_the_focus_is_seen_at_every_stop(opened: Page) -> None:
    open_rail(opened)
    opened.locator("body").click(position={"x": 2, "y": 2})
    unseen: list[Any] = []
    for _ in range(STOPS):
        opened.keyboard.press("Tab")
        focused = opened.evaluate(FOCUS)
        if focused is not None and not focused["seen"]:
            unseen.append(focused["name"])
    assert unseen == []


def test_a_menu_is_used_by_keys(opened: Page) -> None:
    button = opened.locator("#trace .tv-pane[data-pane=centre] .mn-button")
    button.focus()
    opened.keyboard.press("Enter")
    expect(opened.get_by_label("show pruned")).to_be_focused()
    opened.keyboard.press("ArrowDown")
    expect(opened.get_by_role("button", name="Download the tree chart as PNG")).to_be_focused()
    opened.keyboard.press("ArrowUp")
    opened.keyboard.press("ArrowUp")
    expect(opened.get_by_role("button", name="Fill the screen with Search")).to_be_focused()
    opened.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(opened.locator("#trace .trace-view")).to_have_attribute("data-step", "0")


def test_a_menu_closes_where_something_else_begins(opened: Page) -> None:
    open_more(opened, "centre")
    open_more(opened, "right")
    expect(opened.locator("#trace .mn-panel:visible")).to_have_count(1)
    source(opened).click()
    expect(opened.locator("#trace .mn-panel:visible")).to_have_count(0)


def test_the_rail_closes_at_escape(opened: Page) -> None:
    open_rail(opened)
    opened.locator("#strategy-card input[type=radio]:checked").first.focus()
    opened.keyboard.press("Escape")
    expect(opened.locator("#strategy-card")).to_be_hidden()
    expect(opened.locator("#strategy-chip .chip-button")).to_be_focused()
