"""The cloud of samples and their utilities in the browser: shown for samples only, and linked."""

from __future__ import annotations

import gradio as gr
import pytest
from playwright.sync_api import Locator, Page, expect

from demo.requests.decode import DecodeRequest
from demo.service.context import AppContext
from demo.views.trace.component import TraceView
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from models.registry.registry import Registry
from tests.browser.bare_page import BarePages
from tests.browser.conftest import ROOT, Serve
from tests.browser.decode_page import open_tab
from tests.browser.trace_page import open_view

CONTEXT = AppContext(Registry(ROOT / "checkpoints"), "cpu")
CLICK = """(view, [part, index]) => {
  const box = view.querySelector(part);
  box.emit("plotly_click", { points: [{ customdata: index, y: index }] });
}"""


def decoded(strategy: str, **settings: int) -> DecodingTrace:
    options = DecodingOptions(strategy, temperature=1.5, seed=3, max_length=20, **settings)
    return CONTEXT.decode(DecodeRequest("reverse-gru", "unrolled", options))


@pytest.fixture
def view(page: Page, bare: BarePages) -> Locator:
    return open_view(page, bare, decoded("mbr", num_samples=6), decoded("beam"))


def choose(view: Locator, part: str, index: int) -> None:
    open_tab(view, part.removeprefix(".tv-"))
    expect(view.locator(f"{part} .main-svg").first).to_be_visible()
    view.evaluate(CLICK, [part, index])
    expect(view).to_have_attribute("data-hypothesis", str(index))


def test_a_point_of_the_cloud_and_a_row_of_the_matrix_choose_their_sample(view: Locator) -> None:
    choose(view, ".tv-cloud", 2)
    choose(view, ".tv-utilities", 4)
    expect(view.locator("[data-caption=utilities]")).to_contain_text("expected chrF")


def test_a_search_shows_neither_cloud_nor_matrix(view: Locator) -> None:
    view.page.get_by_role("button", name="Replace").click()
    expect(view).to_have_attribute("data-ready", "2")
    expect(view.locator(".tv-cloud-card")).to_be_hidden()
    expect(view.locator(".tv-utilities-card")).to_be_hidden()


def test_clicks_still_choose_after_a_result_without_samples(page: Page, serve: Serve) -> None:
    sampled, searched = decoded("sampling", num_samples=6), decoded("beam")
    answers = [searched, sampled]
    with gr.Blocks(analytics_enabled=False) as demo:
        trace_view = TraceView(sampled, elem_id="view")
        button = gr.Button("Replace")
        button.click(lambda: answers.pop(0), outputs=trace_view, show_progress="hidden")
    page.goto(serve(demo))
    view = page.locator("#view .trace-view")
    for ready in ("1", "2", "3"):
        expect(view).to_have_attribute("data-ready", ready)
        if ready != "2":
            choose(view, ".tv-cloud", 3)
        if ready != "3":
            page.get_by_role("button", name="Replace").click()
