"""The card that ranks finished hypotheses for another length penalty, without asking anybody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import gradio as gr
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from demo.views.trace.component import TraceView
from demo.views.trace.standalone import standalone_html
from models.decoding.search.length_normalizer import LengthNormalizer
from models.decoding.trace import DecodingTrace
from tests.browser.trace_page import Show, expect_selection, open_view, with_ranking
from tests.fakes.traces import END, WITHIN, F, K, Spec, build_trace, hostile_trace, large_trace, library_trace

# The middle of a line, or of a mark, on the screen.
POINT_AT = """(box, [trace, at]) => {
  const { xaxis, yaxis } = box._fullLayout;
  const point = box.calcdata[trace][at];
  const frame = box.getBoundingClientRect();
  return [frame.left + xaxis._offset + xaxis.c2p(point.x), frame.top + yaxis._offset + yaxis.c2p(point.y)];
}"""
UPRIGHT = "(box) => box._fullLayout.shapes.filter(({ yref }) => yref === 'paper').map(({ x0 }) => x0)"


def lengths_trace(alpha: float = 0.0) -> DecodingTrace:
    """Three hypotheses of 2, 5 and 3 tokens; by log-probability the shortest wins, by mean the longest."""
    steps: list[list[Spec]] = [
        [(None, "▁a", 0.3, K, WITHIN), (None, "▁b", 0.5, K, WITHIN), (None, "▁c", 0.2, K, WITHIN)],
        [(0, "</s>", 0.3, F, END), (1, "▁x", 0.5, K, WITHIN), (2, "▁y", 0.5, K, WITHIN)],
        [(4, "▁z", 0.5, K, WITHIN), (5, "</s>", 0.4, F, END)],
        [(6, "▁w", 0.6, K, WITHIN)],
        [(8, "</s>", 0.8, F, END)],
    ]
    return build_trace("xy", steps, [(3, True), (9, True), (7, True)], alpha=alpha)


@pytest.fixture
def show(page: Page, serve: Callable[..., str]) -> Show:
    def opened(*traces: DecodingTrace, query: str = "") -> Locator:
        return with_ranking(open_view(page, serve, *traces, query=query))

    return opened


def alpha(view: Locator) -> Locator:
    return view.get_by_role("slider", name="Length penalty")


def texts(view: Locator) -> Locator:
    return view.locator(".tv-hypothesis .tv-text")


def scores(view: Locator) -> Locator:
    return view.locator(".tv-hypothesis > .tv-number:not(.tv-minor)")


def test_it_opens_as_the_search_ranked(show: Show) -> None:
    view = show(lengths_trace())
    expect(texts(view)).to_have_text(["a", "b x z w", "c y"])
    expect(scores(view)).to_have_text(["−2.408", "−2.813", "−3.219"])
    expect(alpha(view)).to_have_value("0")
    expect(view.get_by_label("Lα", exact=True)).to_be_checked()
    expect(view.get_by_role("button", name="Back to the search's own")).to_be_disabled()
    expect(view.locator(".tv-ranking-note")).to_contain_text("does not search anew")
    expect(view.locator(".tv-scores-caption")).to_contain_text("hypothesis 2 takes the lead at α = 0.17")


def test_moving_alpha_ranks_anew_and_asks_nobody(show: Show) -> None:
    view = show(lengths_trace())
    requests: list[str] = []
    view.page.on("request", lambda request: requests.append(request.url))
    alpha(view).fill("1")
    expect(texts(view)).to_have_text(["b x z w", "c y", "a"])
    expect(scores(view)).to_have_text(["−0.563", "−1.073", "−1.204"])
    expect(view.locator(".tv-hypothesis .tv-rank")).to_have_text(["2", "3", "1"])
    expect(view.locator(".tv-moved")).to_have_text(["★↑1", "↑1", "↓2"])
    first = view.locator(".tv-hypothesis").first
    expect(first).to_contain_text("log-p −2.81")
    expect(first).to_contain_text("5 tokens")
    expect(view.locator(".tv-verdict")).to_have_text("Hypothesis 2 leads hypothesis 3 by 0.510 in score.")
    expect_selection(view, step=0, node=0, hypothesis=0)
    assert requests == []


@pytest.mark.parametrize("kind", ["power", "gnmt", "none"])
def test_every_score_is_the_librarys(show: Show, kind: str) -> None:
    trace = lengths_trace()
    view = show(trace)
    alpha(view).fill("-1.35")
    view.locator(f".tv-kinds input[value={kind}]").check(force=True)
    normalizer = LengthNormalizer(kind, -1.35)
    found = sorted((normalizer(h.log_prob, len(h.token_ids)) for h in trace.hypotheses), reverse=True)
    expect(scores(view)).to_have_text([f"{score:.3f}".replace("-", "−") for score in found])


def test_a_row_keeps_its_hypothesis_wherever_it_stands(show: Show) -> None:
    view = show(lengths_trace())
    alpha(view).fill("1")
    view.locator(".tv-hypothesis").first.click()
    expect_selection(view, step=0, node=1, hypothesis=1)
    expect(view.locator(".tv-out b")).to_have_text(["␣b", "␣x", "␣z", "␣w", "</s>"])
    expect(view.locator(".tv-hypothesis").first).to_have_attribute("aria-pressed", "true")


def test_up_and_down_follow_the_order_on_the_screen(show: Show) -> None:
    view = show(lengths_trace())
    alpha(view).fill("1")
    view.locator(".tv-hypothesis").first.click()
    view.page.keyboard.press("ArrowDown")
    expect_selection(view, step=0, node=2, hypothesis=2)
    expect(view.locator(".tv-hypothesis").nth(1)).to_be_focused()
    view.page.keyboard.press("ArrowDown")
    expect_selection(view, step=0, node=0, hypothesis=0)


def test_the_way_back_is_one_click(show: Show) -> None:
    view = show(lengths_trace())
    back = view.get_by_role("button", name="Back to the search's own")
    view.get_by_text("GNMT").click()
    alpha(view).fill("2")
    back.click()
    expect(texts(view)).to_have_text(["a", "b x z w", "c y"])
    expect(alpha(view)).to_have_value("0")
    expect(view.get_by_label("Lα", exact=True)).to_be_checked()
    expect(back).to_be_disabled()


def test_the_slider_keeps_its_keys_to_itself(show: Show) -> None:
    view = show(lengths_trace())
    alpha(view).focus()
    view.page.keyboard.press("ArrowRight")
    expect(alpha(view)).to_have_value("0.05")
    expect(alpha(view)).to_have_attribute("aria-valuetext", "0.05")
    expect_selection(view, step=0, node=0, hypothesis=0)


def test_without_a_normaliser_alpha_is_out_of_use(show: Show) -> None:
    view = show(lengths_trace(alpha=1.0))
    expect(alpha(view)).to_be_enabled()
    view.locator(".tv-kinds").get_by_text("none").click()
    expect(alpha(view)).to_be_disabled()
    expect(view.locator(".tv-scores-caption")).to_contain_text("every line is flat")
    expect(view.locator(".tv-ranking-title")).to_have_text("Hypotheses by log-probability")


def test_an_alpha_between_the_notches_is_the_searchs_own(show: Show) -> None:
    view = show(lengths_trace(alpha=0.333))
    expect(view.locator(".tv-alpha output")).to_have_text("0.33")
    expect(view.get_by_role("button", name="Back to the search's own")).to_be_disabled()


def test_an_order_of_another_kind_stands_until_the_reader_ranks(show: Show) -> None:
    trace = lengths_trace()
    view = show(replace(trace, strategy="mbr", hypotheses=trace.hypotheses[::-1]))
    expect(texts(view)).to_have_text(["c y", "b x z w", "a"])
    expect(view.locator(".tv-ranking-title")).to_have_text("Hypotheses in the search's own order")
    alpha(view).fill("1")
    expect(texts(view)).to_have_text(["b x z w", "c y", "a"])
    alpha(view).fill("0")
    expect(texts(view)).to_have_text(["a", "b x z w", "c y"])
    view.get_by_role("button", name="Back to the search's own").click()
    expect(texts(view)).to_have_text(["c y", "b x z w", "a"])


def test_one_hypothesis_is_nothing_to_rank(show: Show) -> None:
    view = show(hostile_trace())
    expect(view.locator(".tv-hypotheses-card")).to_contain_text("nothing to rank")
    expect(view.locator("[data-tab=ranking]")).to_be_hidden()
    expect(view.locator(".tv-ranking-card")).to_be_hidden()
    expect(view.locator(".tv-hypothesis")).to_have_count(1)


def test_a_new_value_starts_from_its_own_setting(show: Show) -> None:
    view = show(lengths_trace(), library_trace())
    alpha(view).fill("-2")
    view.page.get_by_role("button", name="Replace").click()
    expect(view).to_have_attribute("data-ready", "2")
    expect(texts(view)).to_have_text(["a library", "the book"])
    expect(alpha(view)).to_have_value("1")
    expect(view.locator(".tv-verdict")).to_be_hidden()


def test_a_line_selects_its_hypothesis(show: Show) -> None:
    view = show(lengths_trace())
    chart = view.locator(".tv-scores")
    chart.scroll_into_view_if_needed()
    view.page.mouse.click(*chart.evaluate(POINT_AT, [2, 10]))
    expect_selection(view, step=0, node=2, hypothesis=2)
    # Plotly takes two clicks in quick succession for one double click, and hovers before it clicks.
    view.page.wait_for_timeout(600)
    view.page.mouse.move(*chart.evaluate(POINT_AT, [3, 0]))
    view.page.wait_for_function("box => box._hoverdata?.[0].curveNumber === 3", arg=chart.element_handle())
    view.page.mouse.click(*chart.evaluate(POINT_AT, [3, 0]))  # the change of the lead
    expect_selection(view, step=0, node=1, hypothesis=1)


def test_a_line_still_selects_after_a_result_without_a_figure(page: Page, serve: Callable[..., str]) -> None:
    values = iter([hostile_trace(), lengths_trace()])
    with gr.Blocks(analytics_enabled=False) as demo:
        shown = TraceView(lengths_trace(), elem_id="view")
        gr.Button("Replace").click(lambda: next(values), outputs=shown, show_progress="hidden")
    page.goto(serve(demo))
    view = page.locator("#view .trace-view")
    expect(view).to_have_attribute("data-ready", "1")
    with_ranking(view)
    for ready in "23":
        page.get_by_role("button", name="Replace").click()
        expect(view).to_have_attribute("data-ready", ready)
    chart = view.locator(".tv-scores")
    chart.scroll_into_view_if_needed()
    page.mouse.click(*chart.evaluate(POINT_AT, [2, 10]))
    expect_selection(view, step=0, node=2, hypothesis=2)


def test_hovering_tells_who_overtakes_whom(show: Show) -> None:
    view = show(lengths_trace())
    chart = view.locator(".tv-scores")
    chart.scroll_into_view_if_needed()
    view.page.mouse.move(*chart.evaluate(POINT_AT, [3, 0]))
    expect(chart.locator(".hoverlayer")).to_contain_text("From α = 0.17 hypothesis 2 overtakes hypothesis 1.")
    view.page.mouse.move(*chart.evaluate(POINT_AT, [2, 60]))
    for part in ("3: c y", "log-prob −3.22, 3 tokens", "score −1.073 at α = 1.00"):
        expect(chart.locator(".hoverlayer")).to_contain_text(part)


def test_the_upright_line_follows_without_drawing_the_data_again(show: Show) -> None:
    view = show(lengths_trace(alpha=1.0))
    chart = view.locator(".tv-scores")
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


def test_ranking_eight_is_instant(show: Show) -> None:
    view = show(large_trace(beam=8, steps=12, fan=4))
    assert view.locator(".tv-hypothesis").count() == 8
    spent = alpha(view).evaluate(
        """(slider) => Array.from({ length: 41 }, (_, at) => {
          const start = performance.now();
          slider.value = String(-2 + at / 10);
          slider.dispatchEvent(new Event("input", { bubbles: true }));
          return performance.now() - start;
        }).sort((one, other) => one - other)[20]"""
    )
    assert spent < 16


def test_the_exported_page_ranks_too(page: Page, tmp_path: Path, expected_errors: list[str]) -> None:
    expected_errors.append("request to another host: file:")  # the page itself
    path = tmp_path / "page.html"
    path.write_text(standalone_html(lengths_trace()), encoding="utf-8")
    page.context.set_offline(True)
    page.goto(path.as_uri())
    view = page.locator(".trace-view")
    expect(view).to_have_attribute("data-ready", "1")
    with_ranking(view)
    alpha(view).fill("1")
    expect(texts(view)).to_have_text(["b x z w", "c y", "a"])


def test_the_figure_is_saved_as_a_picture(show: Show, tmp_path: Path) -> None:
    view = show(lengths_trace())
    with view.page.expect_download() as download:
        view.get_by_role("button", name="Download the ranking chart as SVG").click()
    path = tmp_path / "picture"
    download.value.save_as(path)
    assert b"length penalty" in path.read_bytes()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_in_the_card(show: Show, scheme: str, width: int) -> None:
    view = show(lengths_trace(), query=f"?__theme={scheme}")
    view.page.set_viewport_size({"width": width, "height": 900})
    alpha(view).fill("1")
    found = Axe().run(view.page, context=".tv-ranking-card").response["violations"]
    assert [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in found] == []
