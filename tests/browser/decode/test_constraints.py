"""Constraints on the Decode tab: counted, obeyed, in the output's caption and in the address."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.decode_page import (
    change,
    choose,
    control,
    hypotheses,
    open_chip,
    open_rail,
    results,
    visit,
    wait_for_result,
)

CAPTION = "#trace [data-caption=must_contain]"
# Whether a request has led to more results than `before`, or to a refusal.
ANSWERED = """before => document.querySelector(".toast-body")
  || Number(document.querySelector("#trace .trace-view").dataset.ready) > before"""


def test_a_reader_constrains_the_output(app_page: Page, app_url: str, subtests: pytest.Subtests) -> None:
    expect(app_page.locator(CAPTION)).to_have_text("")
    assert not any("first" in text for text in hypotheses(app_page))
    open_rail(app_page)
    with subtests.test("active constraints are counted and take effect"):
        constrain(app_page)
    change(app_page, "Minimum length", "0")
    with subtests.test("every output has the required words, and the page shows their steps"):
        decode_with(app_page, "first")
        texts = hypotheses(app_page)
        assert texts
        assert all("first" in text for text in texts)
        expect(app_page.locator(CAPTION)).to_contain_text("first")
        assert "must_contain=first" in app_page.url
        for width in (390, 1440):
            app_page.set_viewport_size({"width": width, "height": 900})
            assert app_page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    with subtests.test("every field is part of the comparison while it is typed, and Enter is answered"):
        type_into_every_field(app_page)
    with subtests.test("chip and form follow another result, whatever is unfinished in a field"):
        open_another_result(app_page)
    with subtests.test("greedy search refuses required words"):
        texts = hypotheses(app_page)
        choose(app_page, "Greedy", decodes=False)
        expect(app_page.locator(".toast-body")).to_be_visible()
        assert hypotheses(app_page) == texts
    with subtests.test("a link requires two words"):
        visit(app_page, f"{app_url}?must_contain=first,prize&beam_size=6")
        texts = hypotheses(app_page)
        assert texts
        assert all("first" in text and "prize" in text for text in texts)


def constrain(page: Page) -> None:
    counted = page.locator("#constraints button").first
    expect(counted).to_contain_text("Constraints: none")
    counted.click()
    change(page, "Minimum length", "12")
    expect(counted).to_contain_text("Constraints: 1 active")
    page.get_by_label("Banned words").fill("unbelievabletown")
    expect(counted).to_contain_text("Constraints: 2 active")
    texts = hypotheses(page)
    page.locator("#run").click()
    expect(page.locator(".toast-body")).to_contain_text("Ban one of these, spelt as here")
    assert hypotheses(page) == texts
    page.get_by_label("Banned words").fill("")
    expect(counted).to_contain_text("Constraints: 1 active")
    before = results(page)
    page.locator("#run").click()
    wait_for_result(page, before)
    assert page.locator("#trace .tv-out").count() >= 12


def decode_with(page: Page, words: str) -> None:
    before = results(page)
    page.get_by_label("Required words").fill(words)
    page.get_by_label("Required words").press("Control+Enter")
    wait_for_result(page, before)


def type_into_every_field(page: Page) -> None:
    view, toasts = page.locator("#trace .trace-view"), page.locator(".toast-body")
    fields = page.locator("#strategy-card input:is([type=number], [type=text]):visible")
    labels = fields.evaluate_all("fields => fields.map((field) => field.closest('.block').innerText)")
    assert len(labels) >= 8
    for field, label in zip(fields.all(), labels, strict=True):
        usual, before = field.input_value(), results(page)
        field.fill("0.7" if field.get_attribute("type") == "number" else "unbelievabletown")
        expect(view, label).to_have_attribute("data-stale", "true")
        field.press("Enter")
        page.wait_for_function(ANSWERED, arg=before)
        assert (view.get_attribute("data-stale") == "true") == (results(page) == before), label
        before = results(page)
        field.fill(usual)
        field.press("Enter")
        wait_for_result(page, before)
        expect(view, label).to_have_attribute("data-stale", "false")
        expect(toasts).to_have_count(0)


def open_another_result(page: Page) -> None:
    chip, view = page.locator("#strategy-chip .chip-value"), page.locator("#trace .trace-view")
    for strategy in ("Threshold beam", "Beam search"):
        choose(page, strategy)
    control(page, "No repeated n-grams").fill("0.7")
    control(page, "No repeated n-grams").press("Enter")
    expect(page.locator(".toast-body")).to_be_visible()
    expect(view).to_have_attribute("data-stale", "true")
    open_chip(page, "results")
    page.locator(".rs-result", has_text="Threshold beam").first.click()
    expect(chip).to_have_text("Threshold beam 4")
    expect(view).to_have_attribute("data-stale", "false")
    expect(control(page, "No repeated n-grams")).to_have_value("0")
