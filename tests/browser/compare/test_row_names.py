"""The names of the strategies in the chips of a comparison."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.compare_page import rows


def test_no_two_chips_have_the_same_name(page: Page, app_url: str) -> None:
    strategies = "greedy~greedy,no_repeat_ngram_size:1~beam~beam,beam_size:4,max_length:9"
    page.goto(f"{app_url}?tab=compare&mode=strategies&text=hola&strategies={strategies}")
    expect(rows(page)).to_have_count(4)
    expect(page.locator("#compare-strategies .sp-name")).not_to_have_count(0)
    names = page.locator("#compare-strategies .sp-name").all_text_contents()
    assert len(set(names)) == len(names)
