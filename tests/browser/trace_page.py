"""A page with one trace view, and functions to read it."""

from __future__ import annotations

import json
from collections.abc import Callable

import gradio as gr
from playwright.sync_api import Locator, Page, expect

from demo.server.gradio_compat import event_data
from demo.views.trace.component import TraceView
from models.decoding.trace import DecodingTrace
from tests.browser.decode_page import open_tab

Show = Callable[..., Locator]
# Where a node stands on the screen, from Plotly's own axes.
NODE_AT = """(box, id) => {
  const trace = box.data.find((part) => part.customdata && part.customdata.includes(id));
  const at = trace.customdata.indexOf(id);
  const { xaxis, yaxis } = box._fullLayout;
  const frame = box.getBoundingClientRect();
  const along = (axis, value) => axis._offset + axis.l2p(value);
  return [frame.left + along(xaxis, trace.x[at]), frame.top + along(yaxis, trace.y[at])];
}"""
# Marks the result as outdated, as the script of the page does.
MARK_STALE = "() => { document.querySelector('#view .trace-view').dataset.stale = 'true'; }"
# Records every label of a button, so that a short-lived one is not missed.
LABELS = """(button) => {
  window.labels = [];
  const note = () => window.labels.push(button.getAttribute("aria-label"));
  new MutationObserver(note).observe(button, { attributes: true, attributeFilter: ["aria-label"] });
}"""


def blocks(first: DecodingTrace | None, second: DecodingTrace | None = None) -> gr.Blocks:
    with gr.Blocks(analytics_enabled=False) as demo:
        gr.Markdown("## Test")
        view = TraceView(first, elem_id="view")
        button = gr.Button("Replace")
        button.click(lambda: second, outputs=view, show_progress="hidden")
        control = gr.Checkbox(label="control")
        control.change(None, js=MARK_STALE)
        event = gr.Textbox(label="event")
        view.select(on_select, outputs=event, show_progress="hidden")
    return demo


def on_select(event: gr.EventData) -> str:
    return json.dumps(event_data(event))


def open_view(
    page: Page,
    serve: Callable[..., str],
    first: DecodingTrace | None,
    second: DecodingTrace | None = None,
    query: str = "",
) -> Locator:
    page.goto(serve(blocks(first, second)) + query)
    view = page.locator("#view .trace-view")
    if first is not None:
        expect(view).to_have_attribute("data-ready", "1")
    return view


def expect_selection(view: Locator, step: int, node: int, hypothesis: int) -> None:
    expect(view).to_have_attribute("data-step", str(step))
    expect(view).to_have_attribute("data-node", str(node))
    expect(view).to_have_attribute("data-hypothesis", str(hypothesis))


def with_ranking(view: Locator) -> Locator:
    """The same view with its hypotheses and, where there is one, their ranking open."""
    open_tab(view, "ranking" if view.locator("[data-card=ranking]:not([hidden])").count() else "hypotheses")
    return view
