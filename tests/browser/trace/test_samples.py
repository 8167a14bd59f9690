"""The cloud of samples and their utilities in the browser: shown for samples only, and linked."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from tests.browser.bare_page import BarePage
from tests.browser.decode_page import open_tab
from tests.browser.trace_page import open_trace

CLICK = """(view, [part, index]) => {
  const box = view.querySelector(part);
  box.emit("plotly_click", { points: [{ customdata: index, y: index }] });
}"""


def decoded(context: AppContext, strategy: str, **settings: int) -> DecodingTrace:
    options = DecodingOptions(strategy, temperature=1.5, seed=3, max_length=20, **settings)
    return context.decode(DecodeRequest("reverse-gru", "unrolled", options))


def choose(view: Locator, part: str, index: int) -> None:
    open_tab(view, part.removeprefix(".tv-"))
    expect(view.locator(f"{part} .main-svg").first).to_be_visible()
    view.evaluate(CLICK, [part, index])
    expect(view).to_have_attribute("data-hypothesis", str(index))


def test_cloud_and_matrix_choose_a_sample_and_are_absent_for_a_search(
    bare: BarePage, context: AppContext
) -> None:
    view = open_trace(bare, decoded(context, "mbr", num_samples=6))
    choose(view, ".tv-cloud", 2)
    choose(view, ".tv-utilities", 4)
    expect(view.locator("[data-caption=utilities]")).to_contain_text("expected chrF")
    bare.show(decoded(context, "beam"))
    expect(view).to_have_attribute("data-ready", "2")
    expect(view.locator(".tv-cloud-card")).to_be_hidden()
    expect(view.locator(".tv-utilities-card")).to_be_hidden()
    bare.show(decoded(context, "sampling", num_samples=6))
    expect(view).to_have_attribute("data-ready", "3")
    choose(view, ".tv-cloud", 3)
