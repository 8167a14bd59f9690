"""The chart of the card that ranks hypotheses: a line for each, its hints, and clicks on its marks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import gradio as gr
import pytest
from playwright.sync_api import Locator, Page, expect

from demo.views.trace.component import TraceView
from tests.browser.bare_page import BarePages
from tests.browser.charts import click_point
from tests.browser.decode_page import open_more
from tests.browser.trace.ranking_page import alpha, lengths_trace, open_ranking
from tests.browser.trace_page import Show, expect_selection, with_ranking
from tests.fakes.traces import hostile_trace

# The middle of a line, or of a mark, on the screen.
POINT_AT = """(box, [trace, at]) => {
  const { xaxis, yaxis } = box._fullLayout;
  const point = box.calcdata[trace][at];
  const frame = box.getBoundingClientRect();
  return [frame.left + xaxis._offset + xaxis.c2p(point.x), frame.top + yaxis._offset + yaxis.c2p(point.y)];
}"""
UPRIGHT = "(box) => box._fullLayout.shapes.filter(({ yref }) => yref === 'paper').map(({ x0 }) => x0)"


@pytest.fixture
def show(page: Page, bare: BarePages) -> Show:
    return partial(open_ranking, page, bare)


def drawn_chart(view: Locator) -> Locator:
    """Scroll the chart into view and wait until Plotly has drawn it."""
    chart = view.locator(".tv-scores")
    chart.scroll_into_view_if_needed()
    expect(chart.locator(".scatterlayer .js-line").first).to_be_attached()
    return chart


@pytest.mark.full
def test_a_line_shows_takeovers_and_selects_its_hypothesis(page: Page, serve: Callable[..., str]) -> None:
    with gr.Blocks(analytics_enabled=False) as demo:
        TraceView(lengths_trace(), elem_id="view")
    page.goto(serve(demo))
    view = page.locator("#view .trace-view")
    expect(view).to_have_attribute("data-ready", "1")
    with_ranking(view)
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


def test_a_line_still_selects_after_a_result_without_a_figure(page: Page, serve: Callable[..., str]) -> None:
    values = iter([hostile_trace(), lengths_trace()])
    with gr.Blocks(analytics_enabled=False) as demo:
        trace_view = TraceView(lengths_trace(), elem_id="view")
        gr.Button("Replace").click(lambda: next(values), outputs=trace_view, show_progress="hidden")
    page.goto(serve(demo))
    view = page.locator("#view .trace-view")
    expect(view).to_have_attribute("data-ready", "1")
    with_ranking(view)
    for ready in "23":
        page.get_by_role("button", name="Replace").click()
        expect(view).to_have_attribute("data-ready", ready)
    chart = drawn_chart(view)
    click_point(chart, chart.evaluate(POINT_AT, [2, 10]))
    expect_selection(view, step=0, node=2, hypothesis=2)


def test_the_upright_line_follows_without_drawing_the_data_again(show: Show) -> None:
    view = show(lengths_trace(alpha=1.0))
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


def test_equal_samples_share_a_line(show: Show) -> None:
    trace = lengths_trace()
    first, second, _ = trace.hypotheses
    view = show(replace(trace, strategy="sampling", hypotheses=(first, first, second)))
    expect(view.locator(".tv-hypothesis")).to_have_count(3)
    expect(view.locator(".tv-scores .scatterlayer .js-line")).to_have_count(2)


def test_the_figure_is_saved_as_a_picture(show: Show, tmp_path: Path) -> None:
    view = show(lengths_trace())
    with view.page.expect_download() as download:
        name = "Download the ranking chart as SVG"
        open_more(view, "left").get_by_role("button", name=name).click()
    path = tmp_path / "picture"
    download.value.save_as(path)
    assert b"length penalty" in path.read_bytes()
