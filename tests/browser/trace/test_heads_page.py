"""Layers and heads, source or history: clicks in them, and links to them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.decode_page import visit
from tests.browser.trace_page import open_tab

TRANSFORMER = "?checkpoint=spa-eng-transformer"
# How far the middle of each label is from that of the maps that it names, in pixels.
AWAY = """(box) => {
  const { _fullLayout: full } = box;
  const frame = box.getBoundingClientRect();
  const axes = (letter) => Object.entries(full).filter(([name]) => name.startsWith(`${letter}axis`));
  const middles = (letter, start) => [...new Set(axes(letter).map(([, { _offset, _length }]) =>
    Math.round(10 * (start + _offset + _length / 2)) / 10))];
  const [across, down] = [middles("x", frame.left), middles("y", frame.top)];
  return [...box.querySelectorAll(".annotation .annotation-text")].map((label) => {
    const { left, right, top, bottom } = label.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    const near = (all, at) => Math.min(...all.map((middle) => Math.abs(middle - at)));
    return bottom < frame.top + full.margin.t ? near(across, x) : near(down, y);
  });
}"""


@pytest.mark.full
def test_a_click_on_a_small_head_enlarges_the_head(page: Page, app_url: str) -> None:
    visit(page, f"{app_url}{TRANSFORMER}")
    view = page.locator("#trace .trace-view")
    open_tab(view, "heads")
    card = view.locator("[data-card=heads]")
    expect(card.locator(".tv-inspect-summary")).to_contain_text("“␣Where”")
    grid, large = (card.locator(".tv-inspect-chart").nth(index) for index in (0, 1))
    tiles = grid.locator(".heatmaplayer .hm")
    expect(tiles).to_have_count(10)
    assert max(grid.locator(".js-plotly-plot").evaluate(AWAY)) < 2
    expect(card.locator(".tv-inspect-table tbody tr")).to_have_count(8)
    grid.locator(".nsewdrag").nth(7).click()
    expect(large.locator("h4")).to_have_text("layer 2, head 3")
    expect(card.locator(".tv-inspect-control select").last).to_have_value("2.3")
    card.locator(".tv-inspect-control select").first.select_option("encoder")
    expect(tiles).to_have_count(15)
    assert max(grid.locator(".js-plotly-plot").evaluate(AWAY)) < 2


@pytest.mark.full
def test_source_and_history_follow_the_step(page: Page, app_url: str) -> None:
    visit(page, f"{app_url}{TRANSFORMER}")
    view = page.locator("#trace .trace-view")
    page.locator(".tv-out").nth(3).click()
    open_tab(view, "history")
    card = view.locator("[data-card=history]")
    summary = card.locator(".tv-inspect-summary")
    expect(summary).to_have_text(
        re.compile(r"% of “␣library” comes from the source, .+% from what was already")
    )
    expect(card.locator(".tv-inspect-chart")).to_have_count(3)
    page.locator(".tv-out").nth(1).click()
    expect(summary).not_to_contain_text("library")
    card.locator(".tv-inspect-control select").select_option("typed")
    card.locator(".tv-inspect-control textarea").fill("Hola.\nNo sé.")
    card.locator(".tv-inspect-control textarea").press("Tab")
    expect(card.locator(".tv-inspect-table tbody tr")).to_have_count(3)
