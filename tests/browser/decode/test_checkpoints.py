"""The choice of a checkpoint on the Decode tab, of the same kind and of another."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.decode_page import (
    REVERSE,
    choose,
    choose_checkpoint,
    decode,
    hypotheses,
    open_chip,
    open_rail,
    results,
    source,
    title_of,
    wait_for_result,
)


def test_a_reader_changes_the_checkpoint(app_page: Page, subtests: pytest.Subtests) -> None:
    with subtests.test("passing through the picker changes nothing"):
        pass_through_the_picker(app_page)
    with subtests.test("another checkpoint decodes the same text with the same strategy"):
        choose(app_page, "Greedy")
        decode(app_page, "hola")
        choose_checkpoint(app_page, "spa-eng-lstm")
        expect(source(app_page)).to_have_value("hola")
        expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")
        assert len(hypotheses(app_page)) == 1  # greedy search has one
        before = results(app_page)
        open_chip(app_page, "checkpoint")
        app_page.get_by_role("button", name="Next checkpoint").click()
        wait_for_result(app_page, before)
        expect(app_page.locator("#checkpoint input")).to_have_value(title_of("spa-eng-transformer"))
        expect(source(app_page)).to_have_value("hola")
    with subtests.test("words that the next checkpoint lacks are named beside their field, and it decodes"):
        lose_a_banned_word(app_page)
    with subtests.test("a checkpoint of another kind shows its example and keeps the text"):
        choose_another_kind(app_page)


def pass_through_the_picker(page: Page) -> None:
    source(page).fill("hola")
    before = results(page)
    open_chip(page, "checkpoint")
    page.locator("#checkpoint input").focus()
    options = page.locator("#checkpoint").get_by_role("option")
    expect(options.first).to_be_visible()
    page.keyboard.press("Tab")
    expect(options).to_have_count(0)
    decode(page, "buenos días")
    assert results(page) == before + 1
    assert source(page).input_value() == "buenos días"


def choose_another_kind(page: Page) -> None:
    """Choose a checkpoint that reverses words, go back by the list of results, and choose it again."""
    before_it = page.locator("#checkpoint input").input_value()
    summary = str(page.locator("#checkpoint-summary").text_content())
    source(page).fill("mine")
    choose_checkpoint(page, REVERSE)
    assert source(page).input_value() != "mine"
    expect(page.locator(".link-notice")).to_contain_text("Your text is kept under Results.")
    open_chip(page, "results")
    before = results(page)
    page.locator("#results .rs-result", has_text="mine").click()
    wait_for_result(page, before)
    expect(source(page)).to_have_value("mine")
    expect(page.locator(".link-notice")).to_be_hidden()
    expect(page.locator("#checkpoint input")).to_have_value(before_it)
    choose_checkpoint(page, REVERSE)
    expect(page.locator("#checkpoint-summary")).not_to_have_text(summary)
    assert decode(page, "abcdef")[0].find("fedcba") >= 0


def lose_a_banned_word(page: Page) -> None:
    open_rail(page)
    page.locator("#constraints button").first.click()
    field, before = page.get_by_label("Banned words"), results(page)
    field.fill("the")
    field.press("Enter")
    wait_for_result(page, before)
    choose_checkpoint(page, REVERSE)
    expect(page.locator("#constraints")).to_contain_text(f"{REVERSE} cannot use “the”")
    expect(field).to_have_value("")
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")
    expect(page.locator(".toast-body.error")).to_have_count(0)
    choose_checkpoint(page, "spa-eng-transformer")
    expect(page.locator("#constraints")).not_to_contain_text("cannot use")
