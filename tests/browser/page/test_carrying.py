"""A sentence goes with the reader from tab to tab, and a reference stays with its sentence."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.compare_page import compare, comparisons, tick, visit_comparison, wait_for_comparison
from tests.browser.decode_page import (
    EXAMPLE,
    REVERSE,
    choose_checkpoint,
    decode,
    results,
    source,
    title_of,
    wait_for_result,
)

TEXT, REFERENCE = "#compare-text textarea", "#compare-reference textarea"


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


@pytest.mark.full
def test_a_reference_is_not_compared_with_another_text(page: Page, app_url: str) -> None:
    visit_comparison(page, app_url)
    tick(page, "Greedy", "Beam 4")
    notice = page.locator(".cp-left")
    page.locator(TEXT).fill("me gusta el café")  # as pasted: no key was pressed
    compare(page)
    expect(notice).to_be_visible()
    expect(page.locator(REFERENCE)).to_have_value("")
    expect(page.locator(".cp-verdict")).to_be_hidden()
    expect(page.locator(".cp-summary")).not_to_contain_text("reference")

    notice.get_by_role("button").click()
    expect(page.locator(REFERENCE)).to_have_value("There is an old library in my mother's village.")
    compare(page)
    expect(notice).to_be_hidden()
    expect(page.locator(".cp-verdict")).to_be_visible()

    page.locator("#compare-examples button", has_text="Él es médico.").click()
    expect(page.locator(REFERENCE)).to_have_value("He is a doctor.")
    page.locator(TEXT).fill("Él es pintor.")
    compare(page)
    expect(page.locator(REFERENCE)).to_have_value("")

    page.locator(REFERENCE).fill("I like it.")  # before its text
    page.locator(TEXT).fill("me gusta")
    compare(page)
    expect(notice).to_be_hidden()
    expect(page.locator(REFERENCE)).to_have_value("I like it.")
    expect(page.locator(".cp-fact-text").first).to_have_text("I like it.")


def test_a_tab_opens_with_the_last_decoded_sentence(app_page: Page) -> None:
    choose_checkpoint(app_page, REVERSE)
    decode(app_page, "abcd")
    open_tab(app_page, "Compare")
    wait_for_comparison(app_page, 0)
    expect(app_page.locator("#compare-checkpoint input")).to_have_value(title_of(REVERSE))
    expect(app_page.locator(TEXT)).to_have_value("abcd")
    expect(app_page.locator(REFERENCE)).to_have_value("")
    expect(app_page.locator(".cp-summary li").first).to_be_visible()

    app_page.locator(TEXT).fill("hello")
    tick(app_page, "Greedy")
    compare(app_page)
    before = results(app_page)
    open_tab(app_page, "Decode")
    wait_for_result(app_page, before)
    expect(source(app_page)).to_have_value("hello")
    expect(app_page.locator("#trace .tv-hypothesis .tv-text").first).to_contain_text("olleh")

    count = comparisons(app_page)
    open_tab(app_page, "Compare")  # nothing new
    expect(app_page.locator(TEXT)).to_have_value("hello")
    app_page.locator(TEXT).fill("mine")
    open_tab(app_page, "Decode")
    decode(app_page, "newer")
    open_tab(app_page, "Compare")
    expect(app_page.locator(TEXT)).to_have_value("mine")
    assert comparisons(app_page) == count


@pytest.mark.full
def test_examples_are_not_carried_to_other_tabs_and_a_link_keeps_its_text(
    app_page: Page, app_url: str
) -> None:
    open_tab(app_page, "Compare")
    wait_for_comparison(app_page, 0)
    expect(app_page.locator(TEXT)).not_to_have_value(EXAMPLE)
    before = results(app_page)
    open_tab(app_page, "Decode")
    expect(source(app_page)).to_have_value(EXAMPLE)
    assert results(app_page) == before
    app_page.goto(f"{app_url}?tab=compare&text=adi%C3%B3s&strategies=greedy")
    wait_for_comparison(app_page, 0)
    expect(app_page.locator(TEXT)).to_have_value("adiós")
