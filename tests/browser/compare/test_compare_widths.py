"""Extends a comparison to every beam width, and shows its curve."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import serious_violations
from tests.browser.compare_page import compare, comparisons, rows, tick, visit_comparison, wait_for_comparison
from tests.grids import full_only


@pytest.mark.full
@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), *full_only([(390, "dark")])])
def test_one_click_compares_every_beam_width(page: Page, app_url: str, width: int, theme: str) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    visit_comparison(page, f"{app_url}?__theme={theme}")
    text = page.locator("#compare-text textarea").input_value()
    page.locator("#compare-text textarea").fill("otra cosa")
    before = comparisons(page)
    page.locator(".cp-wider").click()
    wait_for_comparison(page, before)
    expect(rows(page)).to_have_count(5)
    expect(page.locator("#compare-text textarea")).to_have_value(text)  # it is the same that is compared
    expect(page.locator(".cp-curve .js-plotly-plot")).to_have_count(1)
    expect(page.locator(".cp-wider")).to_be_hidden()
    expect(page.locator(".compare")).to_have_attribute("data-stale", "false")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert serious_violations(page) == []
    tick(page, "Greedy", "Beam 4")
    compare(page)
    expect(page.locator(".cp-curve")).to_be_hidden()
