"""Terms on the page explain themselves by hover, tap and keyboard; a list holds all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.glossary import TERMS
from demo.i18n import spoken
from tests.browser.decode_page import open_rail, open_tab, visit
from tests.fakes.exported_page import exported_page
from tests.fakes.traces import hostile_trace, library_trace

INSIDE = "a, button, input, textarea, select, summary, [role=tab], [role=status], .tv-strip"


def term(page: Page, text: str, within: str = "") -> Locator:
    return page.locator(f"{within} .gl-term:visible", has_text=text).first


def expect_told(page: Page, mark: Locator, words: str) -> None:
    tip = page.get_by_role("tooltip")
    expect(tip).to_be_visible()
    expect(tip).to_contain_text(words)
    expect(mark).to_have_attribute("aria-describedby", tip.get_attribute("id") or "no id")
    box = tip.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= page.evaluate("document.documentElement.clientWidth")


def test_hover_tap_and_keyboard_explain_a_term(opened: Page) -> None:
    open_tab(opened, "mass")
    mark = term(opened, "nats", "[data-caption=mass]")
    expect(opened.locator("#source .gl-term")).to_have_count(0)  # its label is for screen readers alone
    before = opened.locator("[data-caption=mass]").text_content()
    mark.hover()
    expect_told(opened, mark, "unit of log-probabilities")
    opened.keyboard.press("Escape")
    expect(opened.get_by_role("tooltip")).to_be_hidden()
    expect(opened.locator("[data-caption=mass]")).to_have_text(before or "")

    first = opened.locator(".tv-mass-card .gl-term[tabindex='0']:visible")  # the one tab stop of its card
    expect(first).to_have_text("most probable output")
    first.focus()
    expect_told(opened, first, "highest probability")
    opened.keyboard.press("ArrowRight")
    expect(first).to_have_count(1)
    expect_told(opened, opened.locator(".gl-term:focus"), "unit of log-probabilities")
    opened.keyboard.press("Escape")

    opened.set_viewport_size({"width": 390, "height": 844})
    open_rail(opened)
    label = term(opened, "Beam size")
    label.click()
    expect_told(opened, label, "beginnings side by side")
    assert opened.locator(f":is({INSIDE}) .gl-term").count() == 0


def test_terms_follow_what_the_page_says_now(opened: Page) -> None:
    open_tab(opened, "race")
    caption = opened.locator("[data-caption=race]")
    expect(caption.locator(".gl-term").first).to_be_visible()
    opened.evaluate("document.querySelector('[data-caption=race]').textContent = 'One beam, no more.'")
    expect(caption.locator(".gl-term")).to_have_text(["beam"])
    # A framework that holds on to its text node finds it again, whatever was marked in it.
    opened.evaluate(
        "document.querySelector('[data-caption=race]').firstChild.data = 'Its entropy, not its loss.'"
    )
    expect(caption.locator(".gl-term")).to_have_text(["entropy", "loss"])
    expect(caption).to_have_text("Its entropy, not its loss.")


@pytest.mark.full
def test_the_list_is_searched_and_left_by_the_keyboard(
    open_window: Callable[..., Page], app_url: str
) -> None:
    page = open_window(locale="es")
    visit(page, app_url)
    button = page.locator(".glossary-open")
    button.press("Enter")
    panel = page.get_by_role("dialog", name="Glosario")
    field = panel.get_by_role("searchbox")
    expect(field).to_be_focused()
    expect(panel.locator("dt")).to_have_count(len(TERMS))
    field.fill("forzado del")
    expect(panel.locator("dt")).to_have_text(["teacher forcing"])
    expect(panel.get_by_role("status")).to_have_text("1 término")
    field.press("Escape")
    expect(panel).to_be_hidden()
    expect(button).to_be_focused()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_page_that_was_taken_along_explains_too(
    page: Page, tmp_path: Path, expected_errors: list[str]
) -> None:
    expected_errors.append("request to another host: file:")  # the page itself
    path = tmp_path / "page.html"
    with spoken("es"):
        path.write_text(exported_page(library_trace()), encoding="utf-8")
    page.goto(path.as_uri())
    open_tab(page.locator(".trace-view"), "race")
    mark = term(page, "nats", "[data-caption=race]")
    mark.hover()
    expect_told(page, mark, "unidad de las log-probabilidades")


def test_what_a_model_writes_is_no_markup(page: Page, tmp_path: Path, expected_errors: list[str]) -> None:
    expected_errors.append("request to another host: file:")
    path = tmp_path / "page.html"
    path.write_text(exported_page(hostile_trace()), encoding="utf-8")
    page.goto(path.as_uri())
    open_tab(page.locator(".trace-view"), "mass")
    expect(page.locator("[data-caption=mass] .gl-term").first).to_be_visible()
    assert page.locator(".tv-caption :not(.gl-term)").count() == 0
