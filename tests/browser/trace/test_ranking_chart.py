"""The chart of the card that ranks hypotheses: a line for each, its hints, and clicks on its marks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.bare_page import BarePage
from tests.browser.charts import click_point
from tests.browser.trace.ranking_page import alpha, lengths_trace, open_ranking
from tests.browser.trace_page import expect_selection
from tests.fakes.traces import hostile_trace

# The middle of a line, or of a mark, on the screen.
POINT_AT = """(box, [trace, at]) => {
  const { xaxis, yaxis } = box._fullLayout;
  const point = box.calcdata[trace][at];
  const frame = box.getBoundingClientRect();
  return [frame.left + xaxis._offset + xaxis.c2p(point.x), frame.top + yaxis._offset + yaxis.c2p(point.y)];
}"""
UPRIGHT = "(box) => box._fullLayout.shapes.filter(({ yref }) => yref === 'paper').map(({ x0 }) => x0)"


def drawn_chart(view: Locator) -> Locator:
    """Scroll the chart into view and wait until Plotly has drawn it."""
    chart = view.locator(".tv-scores")
    chart.scroll_into_view_if_needed()
    expect(chart.locator(".scatterlayer .js-line").first).to_be_attached()
    return chart


@pytest.mark.full
def test_a_line_shows_takeovers_and_selects_its_hypothesis(bare: BarePage) -> None:
    view = open_ranking(bare, lengths_trace())
    chart = drawn_chart(view)
    view.page.mouse.move(*chart.evaluate(POINT_AT, [3, 0]))
    expect(chart.locator(".hoverlayer")).to_contain_text("From α = 0.17 hypothesis 2 overtakes hypothesis 1.")
    view.page.mouse.move(*chart.evaluate(POINT_AT, [2, 60]))
    for part in ("3: c y", "log-prob −3.22, 3 tokens", "score −1.073 at α = 1.00"):
        expect(chart.locator(".hoverlayer")).to_contain_text(part)
    click_point(chart, chart.evaluate(POINT_AT, [2, 10]))
    expect_selection(view, step=0, node=2, hypothesis=2)
    view.page.wait_for_timeout(600)  # Plotly takes two clicks in quick succession for one double click
    click_point(chart, chart.evaluate(POINT_AT, [3, 0]))  # the change of the lead
    expect_selection(view, step=0, node=1, hypothesis=1)


def test_a_line_still_selects_after_a_result_without_a_figure(bare: BarePage) -> None:
    view = open_ranking(bare, lengths_trace())
    for ready, trace in (("2", hostile_trace()), ("3", lengths_trace())):
        bare.show(trace)
        expect(view).to_have_attribute("data-ready", ready)
    chart = drawn_chart(view)
    click_point(chart, chart.evaluate(POINT_AT, [2, 10]))
    expect_selection(view, step=0, node=2, hypothesis=2)


def test_the_upright_line_follows_without_drawing_the_data_again(bare: BarePage) -> None:
    view = open_ranking(bare, lengths_trace(alpha=1.0))
    chart = drawn_chart(view)
    assert chart.evaluate(UPRIGHT) == [1]
    drawn = chart.evaluate_handle(
        "(box) => ({ data: box.data, line: box.querySelector('.scatterlayer .js-line') })"
    )
    alpha(view).fill("-0.5")
    view.page.wait_for_function(f"() => ({UPRIGHT})(document.querySelector('.tv-scores')).at(-1) === -0.5")
    assert chart.evaluate(UPRIGHT) == [1, -0.5]  # the search's own stays, dotted
    same = "(box, drawn) => box.data === drawn.data && drawn.line.isConnected"
    assert chart.evaluate(same, drawn)


def test_equal_samples_share_a_line(bare: BarePage) -> None:
    trace = lengths_trace()
    first, second, _ = trace.hypotheses
    view = open_ranking(bare, replace(trace, strategy="sampling", hypotheses=(first, first, second)))
    expect(view.locator(".tv-hypothesis")).to_have_count(3)
    expect(view.locator(".tv-scores .scatterlayer .js-line")).to_have_count(2)
