"""The view of a training run in a browser: it follows the run, keeps the reader's choices, never jumps."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.service.training.run_report import Overlay
from models.training.events import ExperimentStep, Notice, RunFailed
from models.training.runs.status import RunState
from models.training.runs.work import Work
from tests.browser.accessibility import violations
from tests.browser.bare_page import BarePages
from tests.browser.questions import questions
from tests.browser.trace_page import LABELS
from tests.browser.training.run_page import (
    DONE,
    FIRST,
    SECOND,
    THIRD,
    Show,
    ask,
    axis_range,
    open_run,
    poll,
    zoom,
)
from tests.fakes.training.run_events import HOSTILE, REFERENCE, run_events
from tests.grids import full_only


@pytest.fixture
def show(page: Page, bare: BarePages) -> Show:
    return partial(open_run, page, bare)


def slider(view: Locator) -> Locator:
    return view.get_by_role("slider", name="Evaluation")


def test_the_view_follows_the_run_until_the_reader_moves(show: Show) -> None:
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


def test_an_update_moves_neither_page_nor_focus_nor_height(show: Show) -> None:
    view = show(FIRST, SECOND)
    slider(view).focus()
    view.page.evaluate("() => scrollTo(0, 200)")
    page_state = "(root) => [scrollY, root.offsetHeight, document.activeElement.className]"
    before = view.evaluate(page_state)
    marked = view.locator(".rv-heatmap .js-plotly-plot, .rv-heatmap.js-plotly-plot").element_handle()
    poll(view)
    assert view.evaluate(page_state) == before
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
    expect(view.page.locator("#shown")).to_have_text("1")
    expect(slider(view)).to_have_attribute("max", "5")
    mouse.up()
    expect(slider(view)).to_have_attribute("max", "6")
    expect(view).to_have_attribute("data-step", "600")


def test_scrubbing_sends_no_request_and_shows_the_alignment(show: Show) -> None:
    view = show(DONE)
    posted = questions(view.page)
    rows = view.locator(".rv-tokens tbody tr")
    slider(view).fill("1")
    expect(view).to_have_attribute("data-step", "200")
    expect(rows.nth(0).locator(".rv-token")).to_have_text(["l"] * len(REFERENCE))
    expect(view.locator(".rv-caption")).to_contain_text(
        "At step 200 the two outputs first differ at position 1"
    )
    view.page.wait_for_function(
        "() => document.querySelector('.rv-heatmap').data[0].z[0].every((w) => w < 0.4)"
    )
    slider(view).fill("7")
    expect(view).to_have_attribute("data-step", "1400")
    view.page.wait_for_function(
        "() => document.querySelector('.rv-heatmap').data[0].z[0].some((w) => w > 0.6)"
    )
    assert posted == []


def test_keys_and_play_step_through_the_training_and_the_first_difference_is_described(show: Show) -> None:
    view = show(DONE)
    slider(view).fill("5")  # step 1000: four letters are right, and the fifth under teacher forcing
    head = view.locator(".rv-tokens thead th.rv-parting")
    expect(head).to_have_text("≠ 5 first difference")
    cell = view.locator(".rv-tokens tbody tr").nth(0).locator("td").nth(4)
    expect(cell).to_contain_text("first difference")
    expect(cell).to_contain_text("probability 0.20")
    expect(view.locator(".rv-caption")).to_contain_text("“l”, teacher-forced “o”, the reference has “o”")
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


def test_samples_follow_the_scrubber(show: Show) -> None:
    events = run_events(2000)
    view = show(replace(FIRST, events=events))
    expect(view.locator(".rv-samples").get_by_text("✓ as the reference")).to_have_count(2)
    slider(view).fill("1")
    expect(view.locator(".rv-samples").get_by_text("✓ as the reference")).to_have_count(0)
    expect(view.locator(".rv-samples li").nth(0).locator("del")).to_have_text("icvn")
    expect(view.locator(".rv-samples li").nth(0).locator("ins")).to_have_text("bb")


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


def test_a_run_without_attention_shows_its_tokens(show: Show) -> None:
    view = show(replace(DONE, events=run_events(400, attention=False)))
    expect(view.get_by_text("This network has no attention")).to_be_visible()
    expect(view.locator(".rv-heatmap-scroll")).to_be_hidden()
    expect(view.locator(".rv-tokens tbody tr")).to_have_count(3)


def test_the_run_view_works_without_a_run_and_before_the_first_evaluation(show: Show) -> None:
    waiting = replace(FIRST, state=RunState.QUEUED, events=(), message="Two runs are before this one.")
    view = show(None, waiting, replace(FIRST, events=run_events(100)), FIRST)
    expect(view.get_by_text("No run to show yet")).to_be_visible()
    poll(view)
    expect(view.get_by_text("Waiting for its turn")).to_be_visible()
    expect(view.get_by_text("Two runs are before this one.")).to_be_visible()
    expect(view.locator(".rv-curves")).to_be_hidden()  # axes of nothing
    poll(view)
    expect(view.locator(".rv-curves")).to_be_visible()
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


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", *full_only(["dark"])])
def test_axe_finds_nothing_and_a_phone_scrolls_one_way(show: Show, scheme: str) -> None:
    report = replace(
        DONE,
        state=RunState.LOST,
        message="It is gone.",
        log_tail="line",
        overlays=(Overlay("a", "Before", run_events(600)),),
    )
    view = show(None, report, query=f"?__theme={scheme}")
    poll(view)
    slider(view).fill("3")
    for width in (1440, 390):
        view.page.set_viewport_size({"width": width, "height": 900})
        view.page.wait_for_function("width => document.documentElement.scrollWidth === width", arg=width)
        assert violations(view.page, ".run-view") == []


def width(view: Locator) -> float:
    chart = view.locator("figure[data-chart=loss] .main-svg").first
    expect(chart).to_be_visible()
    box = chart.bounding_box()
    assert box is not None
    return box["width"]


@pytest.mark.full
def test_an_experiment_shows_its_progress_and_no_charts(show: Show) -> None:
    events = (FIRST.events[0], ExperimentStep(30, 0, 0.5, 75.0), Notice(0, "It writes “b”."))
    experiment = replace(FIRST, id="b-0123456789ab", title="Why?", events=events, work=Work.RETRAINING)
    view = show(experiment, FIRST)
    expect(view.locator(".rv-title")).to_have_text("Why?")
    expect(view.locator(".rv-facts")).to_contain_text("time left")
    expect(view.locator(".rv-notices")).to_contain_text("It writes “b”.")
    expect(view.locator(".rv-board")).to_be_hidden()
    poll(view)
    assert width(view) == width(show(FIRST))  # as if nothing had been hidden before
