"""The panes at the widths that screens leave for them, beside the settings of the strategy or alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from tests.browser.bare_page import BarePage
from tests.browser.cut_text import cut_texts
from tests.browser.decode_page import open_tab
from tests.browser.trace_page import open_trace

BESIDE_THE_SETTINGS = (1072, 944)  # pixels that are left for the view on screens of 1440 and 1280
WIDTHS = (*range(400, 1500, 60), *BESIDE_THE_SETTINGS)
MIN_BAR = 40  # pixels: what a bar needs to show a tenth
BARS = """() => Math.min(...[...document.querySelectorAll(".tv-next .tv-bar")]
  .filter((bar) => bar.checkVisibility()).map((bar) => bar.getBoundingClientRect().width))"""
WIDER_THAN_THEIR_PANE = """() => [...document.querySelectorAll(".tv-pane-body")]
  .filter((body) => body.checkVisibility() && body.scrollWidth > body.clientWidth + 1)
  .map((body) => body.closest(".tv-pane").dataset.pane)"""
# Pixels from the middle of the map's last row to the end of its box.
BELOW_THE_MAP = """(map) => {
  const rows = [...map.querySelectorAll(".ytick text")].map((text) => text.getBoundingClientRect());
  return map.getBoundingClientRect().bottom - Math.max(...rows.map(({ top, height }) => top + height / 2));
}"""
MAX_BELOW = 60  # pixels: half a row, and room for the title of an axis with a single row


def decoded(context: AppContext, options: DecodingOptions) -> DecodingTrace:
    return context.decode(DecodeRequest("reverse-gru", "unrolled", options))


def test_panes_can_be_read_at_every_width(
    bare: BarePage, context: AppContext, subtests: pytest.Subtests
) -> None:
    view = open_trace(bare, decoded(context, DecodingOptions("beam", beam_size=4)))
    page = view.page
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        with subtests.test("bars are long enough to be compared", width=width):
            assert page.evaluate(BARS) >= MIN_BAR
    for width in BESIDE_THE_SETTINGS:
        page.set_viewport_size({"width": width, "height": 900})
        for tab in ("next", "hypotheses"):
            open_tab(view, tab)
            with subtests.test("beside the settings no pane is cut", width=width, tab=tab):
                page.wait_for_function(f"({WIDER_THAN_THEIR_PANE})().length === 0")
                assert cut_texts(page) == []


def test_the_map_of_a_short_sample_is_no_taller_than_its_rows(bare: BarePage, context: AppContext) -> None:
    options = DecodingOptions("sampling", num_samples=8, temperature=5, seed=3, max_length=40)
    trace = decoded(context, options)
    lengths = [len(hypothesis.token_ids) for hypothesis in trace.hypotheses]
    assert max(lengths) > 2 * min(lengths)
    view = open_trace(bare, trace)
    open_tab(view, "hypotheses")
    for index in (lengths.index(min(lengths)), lengths.index(max(lengths))):
        view.locator(".tv-hypothesis").nth(index).click()
        heatmap = view.locator(".tv-heatmap")
        expect(heatmap.locator(".ytick text")).to_have_count(lengths[index])
        assert heatmap.evaluate(BELOW_THE_MAP) <= MAX_BELOW
