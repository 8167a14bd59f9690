"""A page with one trace view, and functions to read it."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from demo.views.trace.component import TraceView
from models.decoding.trace import DecodingTrace
from tests.browser.bare_page import BarePages
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


def open_view(
    page: Page,
    bare: BarePages,
    first: DecodingTrace | None,
    second: DecodingTrace | None = None,
    query: str = "",
) -> Locator:
    """A view of the first trace on a bare page, whose button shows the second."""
    page.goto(bare.add(TraceView(first, elem_id="view"), [second]) + query)
    view = page.locator("#view .trace-view")
    page.get_by_label("control").evaluate(f"control => control.addEventListener('change', {MARK_STALE})")
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
