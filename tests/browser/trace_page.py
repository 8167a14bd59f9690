"""A page with one trace view, and functions to read it."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from demo.trace.component import TraceView
from models.decoding.trace import DecodingTrace
from tests.browser.bare_page import BarePage
from tests.browser.decode_page import open_tab

# Where a node stands on the screen, from Plotly's own axes.
NODE_AT = """(box, id) => {
  const trace = box.data.find((part) => part.customdata && part.customdata.includes(id));
  const at = trace.customdata.indexOf(id);
  const { xaxis, yaxis } = box._fullLayout;
  const frame = box.getBoundingClientRect();
  const along = (axis, value) => axis._offset + axis.l2p(value);
  return [frame.left + along(xaxis, trace.x[at]), frame.top + along(yaxis, trace.y[at])];
}"""
# Records every label of a button, so that a short-lived one is not missed.
LABELS = """(button) => {
  window.labels = [];
  const note = () => window.labels.push(button.getAttribute("aria-label"));
  new MutationObserver(note).observe(button, { attributes: true, attributeFilter: ["aria-label"] });
}"""


def open_trace(bare: BarePage, trace: DecodingTrace | None, query: str = "") -> Locator:
    """Open a page with a view of the trace, and wait until it is drawn."""
    bare.open(TraceView(trace, elem_id="view"), query=query)
    view = bare.page.locator("#view .trace-view")
    if trace is not None:
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
