"""Terms on the page explain themselves by hover, tap and keyboard; a list holds all of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.i18n import in_language
from demo.widgets.glossary.terms import TERMS, Marked, names
from tests.browser.accessibility import violations
from tests.browser.decode_page import open_rail, open_tab, visit
from tests.browser.page.test_axe_states import SIZES
from tests.fakes.exported_page import exported_page
from tests.fakes.traces import hostile_trace

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


def test_terms_explain_themselves(app_page: Page, subtests: pytest.Subtests) -> None:
    with subtests.test("hard terms are marked, and everyday ones are not"):
        for hard in ("log-probability", "entropy"):
            expect(term(app_page, hard)).to_be_visible()
        marked = {text.casefold() for text in app_page.locator(".gl-term:visible").all_text_contents()}
        nowhere = [entry.words for entry in TERMS if entry.marked is Marked.NOWHERE]
        assert not marked & {*"|".join(nowhere).split("|")}
    with subtests.test("a tab named by a term explains the term"):
        explain_named_tabs(app_page)
    with subtests.test("each term is marked once in every tab of the panes"):
        for tab in app_page.locator("#trace [role=tab]:visible").all():
            tab.click()
            app_page.wait_for_function(MARKED_ONCE)
    with subtests.test("a hovered term explains itself and changes no text"):
        open_tab(app_page, "mass")
        mark = term(app_page, "nats")
        expect(app_page.locator("#source .gl-term")).to_have_count(0)  # its label is for screen readers alone
        before = app_page.locator("[data-caption=mass]").text_content()
        mark.hover()
        expect_explained(app_page, mark, "unit of log-probabilities")
        app_page.keyboard.press("Escape")
        expect(app_page.get_by_role("tooltip")).to_be_hidden()
        expect(app_page.locator("[data-caption=mass]")).to_have_text(before or "")
    with subtests.test("arrow keys lead from term to term of a card"):
        expect(app_page.locator(".tv-score .gl-term[tabindex]")).to_have_count(0)  # a row of numbers
        first = app_page.locator(".tv-output-card .gl-term[tabindex='0']:visible")  # one tab stop
        expect(first).to_have_text("␣")
        first.focus()
        expect_explained(app_page, first, "sign for the space before a word")
        app_page.keyboard.press("ArrowRight")
        following = app_page.locator(".gl-term:focus")
        expect(following).not_to_have_text("␣")
        expect(following).to_have_attribute("aria-describedby", "glossary-tip")
        app_page.keyboard.press("Escape")
    with subtests.test("the marks follow a changed text"):
        caption = app_page.locator("[data-caption=mass]")
        caption.evaluate("(caption) => { caption.textContent = 'One beam, no more.' }")
        expect(caption.locator(".gl-term")).to_have_text(["beam"])
    with subtests.test("a tapped label explains itself on a phone"):
        app_page.set_viewport_size(SIZES["phone"])
        open_rail(app_page)
        label = term(app_page, "Beam size")
        label.click()
        expect_explained(app_page, label, "beginnings side by side")
        assert app_page.locator(f":is({INSIDE}) .gl-term").count() == 0


def explain_named_tabs(page: Page) -> None:
    term_names = {name.casefold() for name in names()}
    tabs = page.locator("#trace [role=tab]:visible").all()
    terms = [tab for tab in tabs if (tab.text_content() or "").casefold() in term_names]
    assert terms
    for control in (*terms, page.locator("#checkpoint-chip .chip-button")):
        control.focus()
        expect(page.get_by_role("tooltip")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("tooltip")).to_be_hidden()


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


def test_an_exported_page_explains_terms(
    page: Page, tmp_path: Path, expected_errors: list[str], subtests: pytest.Subtests
) -> None:
    expected_errors.append("request to another host: file:")  # the page itself
    path = tmp_path / "page.html"
    with in_language("es"):
        path.write_text(exported_page(hostile_trace()), encoding="utf-8")
    page.goto(path.as_uri())
    view = page.locator(".trace-view")
    with subtests.test("the output of a model is never markup"):
        open_tab(view, "mass")
        expect(page.locator("[data-caption=mass] [data-term]").first).to_be_visible()
        assert page.locator(".tv-caption :not([data-term], bdi)").count() == 0
    with subtests.test("a term is explained in the language of the page"):
        open_tab(view, "race")
        mark = term(page, "nats")
        mark.hover()
        expect_explained(page, mark, "unidad de las log-probabilidades")
    with subtests.test("the marks follow changes of the page"):
        caption = page.locator("[data-caption=race]")
        caption.evaluate("(caption) => { caption.textContent = 'Un haz, y nada más.' }")
        expect(caption.locator(".gl-term")).to_have_text(["haz"])
        # A framework that holds on to its text node finds it again, whatever was marked in it.
        caption.evaluate("(caption) => { caption.firstChild.data = 'Su calibración, no su pérdida.' }")
        expect(caption.locator(".gl-term")).to_have_text(["calibración", "pérdida"])
        expect(caption).to_have_text("Su calibración, no su pérdida.")


def test_a_lesson_marks_the_terms_of_its_text_and_reveal_once_each(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?__theme=dark&lesson=lookup&step=1")
    text = page.locator("aside.lesson .ls-text")
    mark = text.locator(".gl-term:visible").first
    expect(mark).to_have_text("tokens")
    sentence = text.text_content()
    mark.hover()
    expect_explained(page, mark, "A piece of text")
    assert violations(page, "aside.lesson") == []
    page.locator("aside.lesson .ls-prediction button").last.click()
    expect(page.locator("aside.lesson .ls-outcome .gl-term:visible").first).to_be_visible()
    terms = page.locator("aside.lesson .gl-term:visible").evaluate_all(
        "marks => marks.map((mark) => mark.dataset.term)"
    )
    assert len(terms) == len(set(terms))
    assert text.text_content() == sentence
    expect(page.locator("aside.lesson .ls-body")).to_have_attribute("aria-live", "polite")
