"""Texts on the Decode tab: unknown, empty, too long, hostile, and decoded while they are typed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.decode_page import (
    decode,
    hypotheses,
    open_chip,
    open_rail,
    results,
    source,
    wait_for_result,
)

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)>",
    "</s> ${alert(1)} {{constructor.constructor('alert(1)')()}}",
    "🙂🙃 مرحبا بالعالم",
)
# The clicks on Decode that an Enter causes, by the events that the browser sends for it.
CLICKS_BY_ENTER = """(field) => {
  const enters = {
    chromium: [["keydown", { isComposing: true, keyCode: 229 }], ["compositionend", {}]],
    safari: [["compositionend", {}], ["keydown", { isComposing: false, keyCode: 229 }]],
    plain: [["keydown", { isComposing: false, keyCode: 13 }]],
  };
  let clicks = 0;
  const count = (event) => {
    event.stopImmediatePropagation();
    clicks += 1;
  };
  window.addEventListener("click", count, true);
  const counts = Object.fromEntries(Object.entries(enters).map(([browser, events]) => {
    clicks = 0;
    for (const [kind, more] of events) {
      const Kind = kind === "keydown" ? KeyboardEvent : CompositionEvent;
      field.dispatchEvent(new Kind(kind, { key: "Enter", bubbles: true, cancelable: true, ...more }));
    }
    return [browser, clicks];
  }));
  window.removeEventListener("click", count, true);
  return counts;
}"""


def test_a_reader_types_texts_of_every_kind(app_page: Page, subtests: pytest.Subtests) -> None:
    view = app_page.locator("#trace .trace-view")
    with subtests.test("tokens follow the typed text, and unknown characters are named"):
        see_tokens(app_page)
    with subtests.test("a text that cannot be decoded is refused"):
        texts = hypotheses(app_page)
        for text, sentence in (("  ", "There is no text"), ("x" * 10_000, "the limit is 500")):
            source(app_page).fill(text)
            source(app_page).press("Control+Enter")
            expect(app_page.locator(".toast-body", has_text=sentence)).to_be_visible()
            expect(app_page.locator("#run")).to_have_attribute("aria-busy", "false")
            assert hypotheses(app_page) == texts
    with subtests.test("hostile text is shown as text"):
        for text in HOSTILE[1:]:
            decode(app_page, text)
            is_text(app_page, text)
    with subtests.test("the Enter that ends a word of an input method does not decode"):
        assert source(app_page).evaluate(CLICKS_BY_ENTER) == {"chromium": 0, "safari": 0, "plain": 1}
    with subtests.test("typing decodes only if the reader has chosen so"):
        before = results(app_page)
        open_rail(app_page)
        source(app_page).press_sequentially(" hola")
        expect(view).to_have_attribute("data-stale", "true")
        box = app_page.get_by_label("Decode while I type")
        expect(box).not_to_be_checked()
        assert results(app_page) == before
        box.check()
        source(app_page).fill(HOSTILE[0])
        wait_for_result(app_page, before)
        expect(view).to_have_attribute("data-stale", "false")
        is_text(app_page, HOSTILE[0])
    with subtests.test("text and choice survive a reload, and the text is still text"):
        app_page.reload()
        wait_for_result(app_page, 0)
        expect(app_page.get_by_label("Decode while I type")).to_be_checked()
        is_text(app_page, HOSTILE[0])


def see_tokens(page: Page) -> None:
    tokens = page.locator("#source-tokens .st-chip")
    source(page).fill("")
    expect(tokens).to_have_count(0)
    source(page).press_sequentially("la casa", delay=20)
    expect(tokens.last).to_have_text("</s>")
    expect(tokens.first).to_contain_text("la")
    open_chip(page, "examples")
    tokens.first.hover()
    expect(page.locator("#source-tokens .st-detail")).to_contain_text("id ")
    source(page).fill("hola 🙂")
    expect(page.locator("#source-tokens .st-note")).to_contain_text("🙂")
    assert page.locator("#source-tokens .st-unknown").get_attribute("aria-label").endswith("vocabulary")


def is_text(page: Page, text: str) -> None:
    """A dialog would fail the test."""
    assert source(page).input_value() == text
    assert page.locator("#source-tokens :is(script, img), #trace :is(script, img)").count() == 0
