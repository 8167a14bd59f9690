"""The view of a training run in a browser: it follows the run, keeps what the reader chose, never jumps."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from demo.service.training.run_report import Overlay, RunReport
from models.training.events import RunFailed
from models.training.runs.status import RunState
from tests.browser.run_page import Show, ask, axis_range, open_run, poll, zoom
from tests.browser.trace_page import LABELS
from tests.fakes.run_events import HOSTILE, REFERENCE, run_events

STEPS = (1000, 1200, 1400)
FIRST, SECOND, THIRD = (
    RunReport("reverse-0123456789ab", "Reverse", RunState.RUNNING, events=run_events(step)) for step in STEPS
)
LEGEND = ("training, gradient before clipping", "validation, gradient after clipping", HOSTILE)
DONE = replace(THIRD, state=RunState.FINISHED)


# Where the third evaluation of a chart stands on the screen.
THIRD_POINT = """(box) => {
  const [trace] = box.data;
  const { xaxis, yaxis } = box._fullLayout;
  const frame = box.getBoundingClientRect();
  const along = (axis, value) => axis._offset + axis.l2p(value);
  return [frame.left + along(xaxis, trace.x[2]), frame.top + along(yaxis, trace.y[2])];
}"""


@pytest.fixture
def show(page: Page, serve: Callable[..., str]) -> Show:
    return partial(open_run, page, serve)


def slider(view: Locator) -> Locator:
    return view.get_by_role("slider", name="Evaluation")


def test_it_follows_the_run_until_the_reader_moves(show: Show) -> None:
    view = show(FIRST, SECOND, THIRD)
    expect(view).to_have_attribute("data-step", "1000")
    poll(view)
    expect(view).to_have_attribute("data-step", "1200")
    expect(view.locator(".rv-at")).to_have_text("step 1,200 of 4,000 (best)")
    slider(view).focus()
    view.page.keyboard.press("ArrowLeft")
    view.page.keyboard.press("ArrowLeft")
    expect(view).to_have_attribute("data-step", "800")
    poll(view)
    expect(view).to_have_attribute("data-step", "800")
    expect(slider(view)).to_be_focused()
    view.get_by_role("button", name="Follow live").click()
    expect(view).to_have_attribute("data-step", "1400")
    expect(view).to_have_attribute("data-following", "true")


def test_a_zoom_outlives_the_updates_and_holds_for_all_charts(show: Show) -> None:
    view = show(FIRST, SECOND)
    whole = axis_range(view, "loss")
    zoom(view)
    expect(view.get_by_role("button", name="Show all steps")).to_be_enabled()
    steps, losses = axis_range(view, "loss"), axis_range(view, "loss", "yaxis")
    assert whole[0] < steps[0] < steps[1] < whole[1]
    assert axis_range(view, "rate") == steps
    poll(view)
    assert axis_range(view, "loss") == steps
    assert axis_range(view, "loss", "yaxis") == losses
    view.get_by_role("button", name="Show all steps").click()
    expect(view.get_by_role("button", name="Show all steps")).to_be_disabled()
    assert axis_range(view, "norm")[1] == pytest.approx(1200 * 1.02)


def test_an_update_moves_neither_page_nor_focus_nor_height(show: Show) -> None:
    view = show(FIRST, SECOND)
    slider(view).focus()
    view.page.evaluate("() => scrollTo(0, 200)")
    look = "(root) => [scrollY, root.offsetHeight, document.activeElement.className]"
    before = view.evaluate(look)
    marked = view.locator(".rv-heatmap .js-plotly-plot, .rv-heatmap.js-plotly-plot").element_handle()
    poll(view)
    assert view.evaluate(look) == before
    assert marked.evaluate("(node) => node.isConnected")


def test_the_slider_does_not_slip_from_under_the_pointer(show: Show) -> None:
    view = show(FIRST, SECOND)
    slider(view).scroll_into_view_if_needed()
    frame = slider(view).bounding_box()
    assert frame is not None
    mouse = view.page.mouse
    mouse.move(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    mouse.down()
    expect(view).to_have_attribute("data-step", "600")
    ask(view)
    expect(view.page.get_by_label("polls")).to_have_value("1")
    expect(slider(view)).to_have_attribute("max", "5")
    mouse.up()
    expect(slider(view)).to_have_attribute("max", "6")
    expect(view).to_have_attribute("data-step", "600")


def test_scrubbing_asks_the_server_nothing_and_the_alignment_appears(show: Show) -> None:
    view = show(DONE)
    requests: list[str] = []
    view.page.on("request", lambda request: requests.append(request.url))
    rows = view.locator(".rv-tokens tbody tr")
    slider(view).fill("1")
    expect(view).to_have_attribute("data-step", "200")
    expect(rows.nth(0).locator(".rv-token")).to_have_text(["l"] * len(REFERENCE))
    expect(view.locator(".rv-caption")).to_contain_text("At step 200 the two part at position 1")
    view.page.wait_for_function(
        "() => document.querySelector('.rv-heatmap').data[0].z[0].every((w) => w < 0.4)"
    )
    slider(view).fill("7")
    expect(view).to_have_attribute("data-step", "1400")
    view.page.wait_for_function(
        "() => document.querySelector('.rv-heatmap').data[0].z[0].some((w) => w > 0.6)"
    )
    assert requests == []


def test_the_first_difference_is_said_in_words(show: Show) -> None:
    view = show(DONE)
    slider(view).fill("5")  # step 1000: four letters are right, and the fifth under teacher forcing
    head = view.locator(".rv-tokens thead th.rv-parting")
    expect(head).to_have_text("≠ 5 first difference")
    cell = view.locator(".rv-tokens tbody tr").nth(0).locator("td").nth(4)
    expect(cell).to_contain_text("first difference")
    expect(cell).to_contain_text("probability 0.20")
    expect(view.locator(".rv-caption")).to_contain_text("“l”, teacher-forced “o”, the reference has “o”")


def test_samples_follow_the_scrubber(show: Show) -> None:
    events = run_events(2000)
    view = show(replace(FIRST, events=events))
    expect(view.locator(".rv-samples").get_by_text("✓ as the reference")).to_have_count(2)
    slider(view).fill("1")
    expect(view.locator(".rv-samples").get_by_text("✓ as the reference")).to_have_count(0)
    expect(view.locator(".rv-samples li").nth(0).locator("del")).to_have_text("icvn")
    expect(view.locator(".rv-samples li").nth(0).locator("ins")).to_have_text("bb")


def test_keys_and_play_go_through_the_training(show: Show) -> None:
    view = show(DONE)
    slider(view).focus()
    view.page.keyboard.press("Home")
    expect(view).to_have_attribute("data-step", "200")
    expect(view.get_by_role("button", name="Previous evaluation")).to_have_attribute("aria-disabled", "true")
    play = view.get_by_role("button", name="Play")
    play.evaluate(LABELS)
    play.click()
    expect(view).to_have_attribute("data-step", "1400")
    expect(play).to_be_visible()
    assert view.page.evaluate("labels") == ["Pause", "Play"]


def test_a_point_of_a_curve_leads_to_its_evaluation(show: Show) -> None:
    view = show(DONE)
    chart = view.locator("figure[data-chart=score] .rv-chart")
    chart.scroll_into_view_if_needed()
    x, y = chart.evaluate(THIRD_POINT)
    view.page.mouse.move(x - 3, y)
    view.page.mouse.move(x, y)
    view.page.mouse.click(x, y)
    expect(view).to_have_attribute("data-step", "600")


def test_the_loss_can_be_seen_on_a_logarithmic_axis(show: Show) -> None:
    view = show(DONE, replace(DONE, title="again"))
    view.get_by_label("logarithmic loss").check()
    kind = "(box) => box._fullLayout.yaxis.type"
    chart = view.locator("figure[data-chart=loss] .rv-chart")
    view.page.wait_for_function(
        "() => document.querySelector('[data-chart=loss] .rv-chart')._fullLayout.yaxis.type === 'log'"
    )
    poll(view)
    assert chart.evaluate(kind) == "log"


def test_a_failure_shows_reason_and_log_as_text(show: Show) -> None:
    events = (*run_events(400), RunFailed(f"It broke: {HOSTILE}"))
    view = show(
        replace(FIRST, state=RunState.FAILED, events=events, title=HOSTILE, log_tail=f"Traceback {HOSTILE}")
    )
    expect(view).to_have_attribute("data-state", "failed")
    expect(view.get_by_role("alert")).to_have_text(f"It broke: {HOSTILE}")
    expect(view.get_by_role("heading", name=HOSTILE)).to_be_visible()
    view.get_by_text("The last lines of its log").click()
    expect(view.locator("pre")).to_have_text(f"Traceback {HOSTILE}")
    assert view.locator("img").count() == 0


def test_earlier_runs_are_named_and_drawn_behind(show: Show) -> None:
    view = show(replace(DONE, overlays=(Overlay("a", HOSTILE, run_events(2000)),)))
    expect(view.locator(".rv-legend li")).to_have_text(list(LEGEND))
    assert axis_range(view, "loss")[1] > 2000


def test_without_attention_the_tokens_remain(show: Show) -> None:
    view = show(replace(DONE, events=run_events(400, attention=False)))
    expect(view.get_by_text("This network has no attention")).to_be_visible()
    expect(view.locator(".rv-heatmap-scroll")).to_be_hidden()
    expect(view.locator(".rv-tokens tbody tr")).to_have_count(3)


def test_before_the_first_evaluation_and_without_a_run(show: Show) -> None:
    waiting = replace(FIRST, state=RunState.QUEUED, events=(), message="Two runs are before this one.")
    view = show(None, waiting, replace(FIRST, events=run_events(100)), FIRST)
    expect(view.get_by_text("No run to show yet")).to_be_visible()
    poll(view)
    expect(view.get_by_text("Waiting for its turn")).to_be_visible()
    expect(view.get_by_text("Two runs are before this one.")).to_be_visible()
    poll(view)
    expect(view.get_by_text("The first evaluation is still to come")).to_be_visible()
    expect(slider(view)).to_be_hidden()
    poll(view)
    expect(slider(view)).to_be_visible()


def test_another_run_begins_at_its_own_end(show: Show) -> None:
    other = replace(DONE, id="other-0123456789ab", events=run_events(2000))
    view = show(FIRST, other)
    zoom(view)
    slider(view).fill("1")
    poll(view)
    expect(view).to_have_attribute("data-step", "2000")
    assert axis_range(view, "loss") == [0, 2040]


def test_files_are_made_in_the_browser(show: Show, tmp_path: Path) -> None:
    view = show(DONE)
    saved = {}
    for name in (
        "Download the points of all curves as a table",
        "Download the loss chart as SVG",
        "Download the attention chart as SVG",
    ):
        with view.page.expect_download() as download:
            view.get_by_role("button", name=name).click()
        saved[name] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[name])
    table, loss, attention = saved.values()
    rows = list(csv.DictReader(table.read_text(encoding="utf-8-sig").splitlines()))
    assert [row["step"] for row in rows][-1] == "1400"
    assert float(rows[-1]["validation_loss"]) == pytest.approx(0.3749, abs=1e-3)
    assert rows[0]["validation_loss"] == ""
    assert b"nats per token" in loss.read_bytes()
    assert b"read" in attention.read_bytes()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_and_a_phone_scrolls_one_way(show: Show, scheme: str, width: int) -> None:
    report = replace(
        DONE,
        state=RunState.LOST,
        message="It is gone.",
        log_tail="line",
        overlays=(Overlay("a", "Before", run_events(600)),),
    )
    view = show(None, report, query=f"?__theme={scheme}")
    view.page.set_viewport_size({"width": width, "height": 900})
    poll(view)
    slider(view).fill("3")
    assert view.page.evaluate("() => document.documentElement.scrollWidth") == width
    found = Axe().run(view.page, context=".run-view").response["violations"]
    assert [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in found] == []
