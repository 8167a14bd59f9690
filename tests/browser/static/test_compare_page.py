"""The Compare tab of the page without a server, with a reference."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from demo.static.site.folder import write_folder
from models.registry.registry import Registry
from tests.demo.static.site import served

GRU, RNN = "reverse-gru", "reverse-rnn"
# Greedy search misses what beam search finds, and the model prefers both to the reference.
MISSED = {
    "tab": "compare",
    "checkpoint": RNN,
    "text": "unrolled beam",
    "reference": "maeb dellornu",
    "strategies": "greedy~beam,beam_size:4",
}
LOADING_MILLISECONDS = 120_000  # Python in a browser starts slowly on a busy machine


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the folder."""
    root = tmp_path_factory.mktemp("compared")
    write_folder(root / "unrolled", Registry(Path("checkpoints")), [GRU, RNN])
    with served(root) as address:
        yield f"{address}unrolled/"


@pytest.mark.full
def test_a_reference_gets_a_verdict_and_a_row_shows_what_its_search_missed(page: Page, site: str) -> None:
    page.goto(f"{site}?{urlencode(MISSED)}")
    expect(page.locator("#compare-reference textarea")).to_have_value("maeb dellornu")
    comparison = page.locator("#comparison")
    expect(comparison).to_contain_text("a model error, not a search error", timeout=LOADING_MILLISECONDS)
    expect(comparison).to_contain_text("Greedy makes a search error")
    expect(comparison.locator("th", has_text="BLEU")).to_be_visible()
    comparison.get_by_role("button", name="Show me where").first.click()
    opened = page.locator("#compare-trace")
    expect(opened.locator('[data-card="tree"]')).to_be_visible()
    expect(opened).to_contain_text("A better output is known")


@pytest.mark.full
def test_the_reference_follows_the_text_that_it_belongs_to(page: Page, site: str) -> None:
    page.goto(f"{site}?tab=compare")
    text, reference = (page.locator(f"#compare-{name} textarea") for name in ("text", "reference"))
    expect(text).to_have_value("unrolled")
    expect(reference).to_have_value("dellornu")
    page.locator("#compare-examples .example").nth(1).click()
    expect(reference).to_have_value("level")
    text.fill("typed")
    page.locator("#compare-run-strategies").click()
    expect(reference).to_have_value("")
    expect(page.locator("#comparison .cp-left")).to_be_visible()
    page.locator("#comparison .cp-left button").click()
    expect(reference).to_have_value("level")
