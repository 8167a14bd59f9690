"""The labs for a pupil: opened by a link, changed, and shared."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations

LABS = "#labs .labs"
LINK = "?tab=learn&lab=ngrams,alpha:0,text:a%20b.%20a%20c.%20a%20b%20c,sentence:a%20b%20c"


def wait_for_lab(page: Page) -> None:
    expect(page.locator(f"{LABS}:not([data-ready='0'])")).to_be_visible(timeout=20_000)


def test_a_pupil_opens_a_lab_by_a_link_and_changes_it(
    page: Page, app_url: str, subtests: pytest.Subtests
) -> None:
    summary = page.locator(f"{LABS} .tv-inspect-summary")
    box = page.get_by_label("text to count")
    order = page.locator(f"{LABS} .tv-inspect-controls select").first
    page.goto(f"{app_url}{LINK}")
    wait_for_lab(page)
    for width in (1440, 390):
        with subtests.test("a link opens a lab with its controls", width=width):
            page.set_viewport_size({"width": width, "height": 844})
            expect(summary).to_contain_text("Perplexity 1.32")
            expect(page.locator(f"{LABS} .js-plotly-plot")).to_have_count(3)
            expect(page.locator(f"{LABS} .lb-train")).to_be_hidden()  # nothing to train here
            page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")
            assert violations(page, "#labs") == []
    with subtests.test("a text without words is reported and can be changed"):
        box.fill("...")
        box.press("Tab")
        expect(summary).to_contain_text("has no word")
        box.fill("a b c. a b")
        box.press("Tab")
        expect(summary).to_contain_text("Perplexity")
    with subtests.test("the address follows the open lab"):
        page.locator(LABS).get_by_role("button", name="Tokens", exact=True).click()
        page.wait_for_function("location.search.includes('lab=tokens')")
        page.locator(LABS).get_by_role("button", name="n-grams").click()
        page.wait_for_function("location.search.includes('lab=ngrams')")
        order.select_option("3")
        page.wait_for_function("location.search.includes('order:3')")
        page.reload()
        expect(order).to_have_value("3")
    with subtests.test("a lab is shown as a program"):
        page.locator(LABS).get_by_role("button", name="This in PyTorch").click()
        expect(page.locator(f"{LABS} pre")).to_contain_text("import torch")


@pytest.mark.full
@pytest.mark.parametrize("code", ["en", "es", "zh"])
def test_a_link_opens_a_lab_on_a_phone_in_every_language(page: Page, app_url: str, code: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{app_url}{LINK}&__lang={code}")
    wait_for_lab(page)
    expect(page.locator(f"{LABS} .js-plotly-plot")).to_have_count(3)


@pytest.mark.full
def test_a_pupil_trains_a_lab_and_stops_it(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?tab=learn&lab=charrnn")
    wait_for_lab(page)
    card = page.locator(f"{LABS} .lb-lab")
    before = card.locator(".tv-inspect-summary").inner_text()
    card.get_by_role("button", name="Train", exact=True).click()
    expect(card.locator("progress")).to_have_attribute("value", re.compile(r"0\.\d*[1-9]"))
    card.get_by_role("button", name="Stop", exact=True).click()
    expect(card.locator(".lb-train-status")).to_have_text("Stopped.")
    expect(card.locator(".tv-inspect-summary")).not_to_have_text(before)
