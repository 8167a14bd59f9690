"""Terms on the page explain themselves by hover, tap and keyboard; a list holds all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.glossary import TERMS, names
from demo.glossary.term import Marked
from demo.i18n import in_language
from tests.browser.decode_page import open_rail, open_tab, visit
from tests.fakes.exported_page import exported_page
from tests.fakes.traces import hostile_trace, library_trace

# Whether only the first visible place of each term is marked, in the order of the page.
MARKED_ONCE = """() => {
  const places = [...document.querySelectorAll("[data-term]")].filter((place) => place.checkVisibility());
  const first = new Map(places.toReversed().map((place) => [place.dataset.term, place]));
  return places.every((place) => place.matches(".gl-term") === (first.get(place.dataset.term) === place));
}"""
INSIDE = "a, button, input, textarea, select, summary, [role=tab], [role=status], .tv-strip"


def term(page: Page, text: str, within: str = "") -> Locator:
    return page.locator(f"{within} .gl-term:visible", has_text=text).first


def expect_explained(page: Page, mark: Locator, words: str) -> None:
    tip = page.get_by_role("tooltip")
    expect(tip).to_be_visible()
    expect(tip).to_contain_text(words)
    expect(mark).to_have_attribute("aria-describedby", tip.get_attribute("id") or "no id")
    box = tip.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= page.evaluate("document.documentElement.clientWidth")


def test_hover_tap_and_keyboard_explain_a_term(app_page: Page) -> None:
    open_tab(app_page, "mass")
    mark = term(app_page, "nats")
    expect(app_page.locator("#source .gl-term")).to_have_count(0)  # its label is for screen readers alone
    before = app_page.locator("[data-caption=mass]").text_content()
    mark.hover()
    expect_explained(app_page, mark, "unit of log-probabilities")
    app_page.keyboard.press("Escape")
    expect(app_page.get_by_role("tooltip")).to_be_hidden()
    expect(app_page.locator("[data-caption=mass]")).to_have_text(before or "")

    first = app_page.locator(".tv-output-card .gl-term[tabindex='0']:visible")  # the one tab stop of its card
    expect(first).to_have_text("log-probability")
    first.focus()
    expect_explained(app_page, first, "logarithm of a probability")
    app_page.keyboard.press("ArrowRight")
    expect(first).to_have_count(1)
    expect_explained(app_page, app_page.locator(".gl-term:focus"), "divided by")
    app_page.keyboard.press("Escape")

    app_page.set_viewport_size({"width": 390, "height": 844})
    open_rail(app_page)
    label = term(app_page, "Beam size")
    label.click()
    expect_explained(app_page, label, "beginnings side by side")
    assert app_page.locator(f":is({INSIDE}) .gl-term").count() == 0


def test_each_term_is_marked_once_at_its_first_visible_occurrence(app_page: Page) -> None:
    for hard in ("log-probability", "normalised score", "entropy"):
        expect(term(app_page, hard)).to_be_visible()
    marked_texts = app_page.locator(".gl-term:visible").all_text_contents()
    everyday = [name for entry in TERMS if entry.marked is Marked.NOWHERE for name in entry.words.split("|")]
    assert not {text.casefold() for text in marked_texts} & {*everyday}
    inside = app_page.locator("#trace [role=tab]:visible")
    for tab in (*inside.all(), *app_page.locator("#tabs > .tab-wrapper [role=tab]:visible").all()):
        tab.click()
        app_page.wait_for_function(MARKED_ONCE)


def test_a_tab_named_by_a_term_explains_the_term(app_page: Page) -> None:
    expect(app_page.locator(".gl-term:visible").first).to_be_visible()
    term_names = {name.casefold() for name in names()}
    tabs = app_page.locator("#trace [role=tab]:visible").all()
    terms = [tab for tab in tabs if (tab.text_content() or "").casefold() in term_names]
    assert terms
    for control in (*terms, app_page.locator("#checkpoint-chip .chip-button")):
        control.focus()
        expect(app_page.get_by_role("tooltip")).to_be_visible()
        app_page.keyboard.press("Escape")
        expect(app_page.get_by_role("tooltip")).to_be_hidden()


def test_the_marked_terms_follow_changes_of_the_page(app_page: Page) -> None:
    open_tab(app_page, "race")
    caption = app_page.locator("[data-caption=race]")
    expect(caption.locator("[data-term]").first).to_be_visible()
    app_page.evaluate("document.querySelector('[data-caption=race]').textContent = 'One beam, no more.'")
    expect(caption.locator(".gl-term")).to_have_text(["beam"])
    # A framework that holds on to its text node finds it again, whatever was marked in it.
    app_page.evaluate(
        "document.querySelector('[data-caption=race]').firstChild.data = 'Its calibration, not its loss.'"
    )
    expect(caption.locator(".gl-term")).to_have_text(["calibration", "loss"])
    expect(caption).to_have_text("Its calibration, not its loss.")


@pytest.mark.full
def test_the_list_of_terms_is_searched_and_closed_by_keyboard(
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


def test_an_exported_page_explains_terms(page: Page, tmp_path: Path, expected_errors: list[str]) -> None:
    expected_errors.append("request to another host: file:")  # the page itself
    path = tmp_path / "page.html"
    with in_language("es"):
        path.write_text(exported_page(library_trace()), encoding="utf-8")
    page.goto(path.as_uri())
    open_tab(page.locator(".trace-view"), "race")
    mark = term(page, "nats")
    mark.hover()
    expect_explained(page, mark, "unidad de las log-probabilidades")


def test_the_output_of_a_model_is_never_markup(
    page: Page, tmp_path: Path, expected_errors: list[str]
) -> None:
    expected_errors.append("request to another host: file:")
    path = tmp_path / "page.html"
    path.write_text(exported_page(hostile_trace()), encoding="utf-8")
    page.goto(path.as_uri())
    open_tab(page.locator(".trace-view"), "mass")
    expect(page.locator("[data-caption=mass] [data-term]").first).to_be_visible()
    assert page.locator(".tv-caption :not([data-term])").count() == 0


def test_a_lesson_marks_the_terms_of_its_text_and_reveal_once_each(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?lesson=lookup&step=1")
    text = page.locator("aside.lesson .ls-text")
    mark = text.locator(".gl-term:visible").first
    expect(mark).to_have_text("tokens")
    sentence = text.text_content()
    mark.hover()
    expect_explained(page, mark, "A piece of text")
    page.locator("aside.lesson .ls-prediction button").last.click()
    expect(page.locator("aside.lesson .ls-outcome .gl-term:visible").first).to_be_visible()
    terms = page.locator("aside.lesson .gl-term:visible").evaluate_all(
        "marks => marks.map((mark) => mark.dataset.term)"
    )
    assert len(terms) == len(set(terms))
    assert text.text_content() == sentence
    expect(page.locator("aside.lesson .ls-body")).to_have_attribute("aria-live", "polite")
