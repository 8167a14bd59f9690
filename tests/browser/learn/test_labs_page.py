"""The labs for a pupil: opened by a link, changed, and shared."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations
from tests.grids import full_only

LABS = "#labs .labs"
LINK = "?tab=learn&lab=ngrams,alpha:0,text:a%20b.%20a%20c.%20a%20b%20c,sentence:a%20b%20c"


def wait_for_lab(page: Page) -> None:
    expect(page.locator(f"{LABS}:not([data-ready='0'])")).to_be_visible(timeout=20_000)


@pytest.mark.parametrize("width", [1440, *full_only([390])])
def test_a_link_opens_a_lab_with_its_controls(page: Page, app_url: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{app_url}{LINK}")
    wait_for_lab(page)
    summary = page.locator(f"{LABS} .tv-inspect-summary")
    expect(summary).to_contain_text("Perplexity 1.32")
    expect(page.locator(f"{LABS} .js-plotly-plot")).to_have_count(3)
    expect(page.locator(f"{LABS} .lb-train")).to_be_hidden()  # nothing to train here
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert violations(page, "#labs") == []


def test_a_text_without_words_is_reported_and_can_be_changed(app_page: Page) -> None:
    app_page.get_by_role("tab", name="Learn").click()
    wait_for_lab(app_page)
    app_page.get_by_role("button", name="n-grams").click()
    summary = app_page.locator(f"{LABS} .tv-inspect-summary")
    expect(summary).to_contain_text("Perplexity")
    box = app_page.get_by_label("text to count")
    box.fill("...")
    box.press("Tab")
    expect(summary).to_contain_text("has no word")
    box.fill("a b. a b")
    box.press("Tab")
    expect(summary).to_contain_text("Perplexity")


def test_the_address_follows_the_open_lab(app_page: Page) -> None:
    app_page.get_by_role("tab", name="Learn").click()
    wait_for_lab(app_page)
    app_page.get_by_role("button", name="n-grams").click()
    app_page.wait_for_function("location.search.includes('lab=ngrams')")
    app_page.locator(f"{LABS} .tv-inspect-controls select").first.select_option("3")
    app_page.wait_for_function("location.search.includes('order:3')")
    app_page.reload()
    expect(app_page.locator(f"{LABS} .tv-inspect-controls select").first).to_have_value("3")


def test_a_lab_is_shown_as_a_program(app_page: Page) -> None:
    app_page.get_by_role("tab", name="Learn").click()
    wait_for_lab(app_page)
    app_page.get_by_role("button", name="n-grams").click()
    app_page.locator(LABS).get_by_role("button", name="This in PyTorch").click()
    expect(app_page.locator(f"{LABS} pre")).to_contain_text("import torch")


@pytest.mark.parametrize("code", ["en", *full_only(["es", "zh"])])
def test_a_link_opens_a_lab_on_a_phone_in_every_language(page: Page, app_url: str, code: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{app_url}{LINK}&__lang={code}")
    wait_for_lab(page)
    expect(page.locator(f"{LABS} .js-plotly-plot")).to_have_count(3)
