"""The path of greedy search in the tree, and the step at which it leaves the chosen one."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from demo.widgets.figures.figure import LIGHT
from tests.browser.bare_page import BarePage
from tests.browser.charts import bring_plotly, click_point
from tests.browser.trace_page import NODE_AT, expect_selection, open_trace
from tests.fakes.traces import library_trace

# Pixels of the page: the end of greedy's line, and the middle of its ring.
MARKS = """(tree, colour) => {
  const marks = [...tree.querySelectorAll(`.tv-painting [stroke="${colour}"]`)];
  const ends = marks.map((mark) => {
    const { x, y } = mark.tagName === "path"
      ? mark.getPointAtLength(mark.getTotalLength())
      : { x: mark.cx.baseVal.value, y: mark.cy.baseVal.value };
    const point = new DOMPoint(x, y).matrixTransform(mark.getScreenCTM());
    return [mark.tagName, [point.x, point.y]];
  });
  return Object.fromEntries(ends);
}"""


def test_the_tree_marks_greedys_path_and_where_it_leaves_the_chosen_one(bare: BarePage) -> None:
    trace = library_trace()
    best, greedy = trace.hypotheses
    view = open_trace(bare, trace)
    tree, legend = view.locator(".tv-tree"), view.locator(".tv-greedy")
    expect(view.locator(".tv-result")).to_have_text(
        f"“{best.text}” Greedy search would write: “{greedy.text}” The two part at step 1."
    )
    expect(legend).to_have_text(["chosen", "greedy", "they part"])
    bring_plotly(tree)

    marks = tree.evaluate(MARKS, LIGHT.greedy)
    assert marks["path"] == pytest.approx(tree.evaluate(NODE_AT, greedy.node), abs=1)
    the, bank = 0, 5  # the node that both begin with, and another way on from there
    click_point(tree, tree.evaluate(NODE_AT, bank))
    expect_selection(view, 1, bank, -1)
    assert tree.evaluate(MARKS, LIGHT.greedy)["circle"] == pytest.approx(tree.evaluate(NODE_AT, the), abs=1)
    view.locator('[data-tab="hypotheses"]').click()
    view.locator(".tv-hypothesis").nth(1).click()
    expect(view.locator(".tv-result")).to_have_text(
        f"Hypothesis 2 of 2: “{greedy.text}” Greedy search writes the same."
    )
    expect(legend.first).to_be_hidden()
    assert tree.evaluate(MARKS, LIGHT.greedy) == {}
