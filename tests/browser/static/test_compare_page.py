"""The Compare tab of the page without a server, with a reference."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

# Greedy search misses what beam search finds, and the model prefers both to the reference.
MISSED = {
    "tab": "compare",
    "checkpoint": "reverse-rnn",
    "text": "unrolled beam",
    "reference": "maeb dellornu",
    "strategies": "greedy~beam,beam_size:4",
}


@pytest.mark.full
def test_a_reference_belongs_to_its_text_and_decides_the_verdict(
    page: Page, site: str, subtests: pytest.Subtests
) -> None:
    text, reference = (page.locator(f"#compare-{name} textarea") for name in ("text", "reference"))
    comparison = page.locator("#comparison")
    with subtests.test("the tab opens with an example and its reference"):
        page.goto(f"{site}?tab=compare")
        expect(text).to_have_value("Hay una biblioteca antigua en el pueblo de mi madre.")
        expect(reference).to_have_value("There is an old library in my mother's village.")
    with subtests.test("an address sets the reference, and the outputs get a verdict"):
        page.goto(f"{site}?{urlencode(MISSED)}")
        expect(reference).to_have_value("maeb dellornu")
        expect(comparison).to_contain_text("a model error if the reference is right, not a search error")
        expect(comparison).to_contain_text("Greedy makes a search error")
        expect(comparison.locator("th", has_text="BLEU")).to_be_visible()
    with subtests.test("a row shows what its search missed"):
        comparison.get_by_role("button", name="Show me where").first.click()
        opened = page.locator("#compare-trace")
        expect(opened.locator('[data-card="tree"]')).to_be_visible()
        expect(opened).to_contain_text("A better output is known")
    with subtests.test("the reference goes with its example and comes back with it"):
        page.locator("#compare-examples .example").nth(1).click()
        expect(reference).to_have_value("level")
        text.fill("typed")
        page.locator("#compare-run-strategies").click()
        expect(reference).to_have_value("")
        expect(comparison.locator(".cp-left")).to_be_visible()
        comparison.locator(".cp-left button").click()
        expect(reference).to_have_value("level")
