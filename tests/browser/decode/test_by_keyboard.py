"""The Decode tab without a mouse: the arrow keys, and the way from source to result by Tab."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.controls import tabs_to
from tests.browser.decode_page import hypotheses, open_tab, wait_for_result

STOPS = 60  # presses of Tab
VIEW = "#trace .trace-view"


def test_a_reader_without_a_mouse_steps_and_decodes(app_page: Page, subtests: pytest.Subtests) -> None:
    view = app_page.locator(VIEW)
    with subtests.test("the arrow keys step from the first moment"):
        assert app_page.evaluate("document.activeElement === document.body")
        app_page.keyboard.press("ArrowRight")
        expect(view).to_have_attribute("data-step", "1")
    with subtests.test("the source is typed and its tokens are read"):
        tab_to(app_page, "#source textarea")
        app_page.keyboard.press("Control+A")
        app_page.keyboard.type("hola")
        tab_to(app_page, "#examples-chip .chip-button")
        app_page.keyboard.press("Enter")
        tab_to(app_page, ".st-chip")
        app_page.keyboard.press("ArrowRight")
        expect(app_page.locator("#source-tokens .st-detail")).to_contain_text("id ")
    with subtests.test("the button decodes, and so do a strategy and a setting"):
        tab_to(app_page, "#strategy-chip .chip-button")
        app_page.keyboard.press("Enter")
        tab_to(app_page, "#run")
        app_page.keyboard.press("Enter")
        wait_for_result(app_page, 1)
        tab_to(app_page, "#strategy-card input[value=beam]")
        app_page.keyboard.press("ArrowLeft")
        expect(app_page.get_by_label("Greedy", exact=True)).to_be_checked()
        wait_for_result(app_page, 2)
        assert len(hypotheses(app_page)) == 1
        tab_to(app_page, "#strategy-card input[type=number]")
        app_page.keyboard.press("Control+Enter")
        wait_for_result(app_page, 3)
    with subtests.test("the arrow keys step at a button, and not in a field or among tabs"):
        press_arrows_elsewhere(app_page)
    with subtests.test("the tabs of a pane are one stop, with arrows between them"):
        move_among_tabs(app_page)


def tab_to(page: Page, selector: str) -> None:
    page.keyboard.press("Tab")
    assert tabs_to(page, selector, STOPS) <= STOPS, f"Tab never reaches {selector}"


def press_arrows_elsewhere(page: Page) -> None:
    view = page.locator(VIEW)
    expect(view).to_have_attribute("data-step", "0")
    page.locator("#run").focus()  # a button leaves these keys alone
    for key, step in (("ArrowRight", "1"), ("ArrowRight", "2"), ("ArrowLeft", "1")):
        page.keyboard.press(key)
        expect(view).to_have_attribute("data-step", step)
    for busy in ("#source textarea", "#tabs > .tab-wrapper [role=tab][aria-selected=true]"):
        page.locator(busy).first.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
    open_tab(page, "why")
    page.locator("#trace [role=tab][data-tab=why]").press("ArrowLeft")
    expect(page.locator("#trace [role=tab][data-tab=attention]")).to_be_focused()
    expect(view).to_have_attribute("data-step", "1")


def move_among_tabs(page: Page) -> None:
    tabs = page.locator("#trace .tv-pane[data-pane=centre] [role=tab]:visible")
    tabs.first.focus()
    page.keyboard.press("ArrowRight")
    expect(tabs.nth(1)).to_be_focused()
    expect(tabs.nth(1)).to_have_attribute("aria-selected", "true")
    expect(page.locator("#trace .tv-mass .main-svg").first).to_be_visible()
    expect(page.locator(VIEW)).to_have_attribute("data-step", "1")
    assert [tab.get_attribute("tabindex") for tab in tabs.all()].count("0") == 1
