"""The view of a training run in a browser: it follows the run, keeps the reader's choices, never jumps."""

from __future__ import annotations

from dataclasses import replace

import pytest
from playwright.sync_api import Locator, expect

from models.training.events import RunFailed
from models.training.runs.request import RunState
from tests.browser.accessibility import violations
from tests.browser.bare_page import BarePage
from tests.browser.questions import questions
from tests.browser.trace_page import LABELS
from tests.browser.training.run_page import DONE, FIRST, SECOND, THIRD, open_run, update
from tests.fakes.training.run_events import HOSTILE, REFERENCE, run_events
from tests.grids import full_only

PAGE_STATE = "(root) => [scrollY, root.offsetHeight, document.activeElement.className]"


def slider(view: Locator) -> Locator:
    return view.get_by_role("slider", name="Evaluation")


def test_the_view_follows_the_run_and_takes_nothing_out_of_the_readers_hand(
    bare: BarePage, subtests: pytest.Subtests
) -> None:
    view = open_run(bare, FIRST)
    expect(view).to_have_attribute("data-step", "1000")
    with subtests.test("an update moves neither page nor focus nor height"):
        slider(view).focus()
        view.page.evaluate("() => scrollTo(0, 200)")
        before = view.evaluate(PAGE_STATE)
        marked = view.locator(".rv-heatmap .js-plotly-plot, .rv-heatmap.js-plotly-plot").element_handle()
        update(bare, SECOND)
        assert view.evaluate(PAGE_STATE) == before
        assert marked.evaluate("(node) => node.isConnected")
    with subtests.test("the view follows the run"):
        expect(view).to_have_attribute("data-step", "1200")
        expect(view.locator(".rv-at")).to_have_text("step 1,200 of 4,000 (best)")
    with subtests.test("it follows no more when the reader has moved"):
        view.page.keyboard.press("ArrowLeft")
        view.page.keyboard.press("ArrowLeft")
        expect(view).to_have_attribute("data-step", "800")
        update(bare, THIRD)
        expect(view).to_have_attribute("data-step", "800")
        expect(slider(view)).to_be_focused()
    with subtests.test("it follows again"):
        view.get_by_role("button", name="Follow live").click()
        expect(view).to_have_attribute("data-step", "1400")
        expect(view).to_have_attribute("data-following", "true")
    with subtests.test("the slider does not slip from under the pointer"):
        the_slider_stays_under_the_pointer(bare, view)


def the_slider_stays_under_the_pointer(bare: BarePage, view: Locator) -> None:
    slider(view).scroll_into_view_if_needed()
    frame = slider(view).bounding_box()
    assert frame is not None
    mouse = view.page.mouse
    mouse.move(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2)
    mouse.down()
    expect(view).to_have_attribute("data-step", "800")
    bare.show(replace(THIRD, events=run_events(1600)))
    expect(slider(view)).to_have_attribute("max", "7")
    mouse.up()
    expect(slider(view)).to_have_attribute("max", "8")
    expect(view).to_have_attribute("data-step", "800")


def test_scrubbing_sends_no_request_and_shows_the_alignment(bare: BarePage) -> None:
    view = open_run(bare, DONE)
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


def test_keys_and_play_step_through_the_training_and_the_first_difference_is_described(
    bare: BarePage,
) -> None:
    view = open_run(bare, DONE)
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


def test_samples_follow_the_scrubber(bare: BarePage) -> None:
    events = run_events(2000)
    view = open_run(bare, replace(FIRST, events=events))
    expect(view.locator(".rv-samples").get_by_text("✓ as the reference")).to_have_count(2)
    slider(view).fill("1")
    expect(view.locator(".rv-samples").get_by_text("✓ as the reference")).to_have_count(0)
    expect(view.locator(".rv-samples li").nth(0).locator("del")).to_have_text("icvn")
    expect(view.locator(".rv-samples li").nth(0).locator("ins")).to_have_text("bb")


def test_a_failure_shows_reason_and_log_as_text(bare: BarePage) -> None:
    events = (*run_events(400), RunFailed(f"It broke: {HOSTILE}"))
    view = open_run(
        bare,
        replace(FIRST, state=RunState.FAILED, events=events, title=HOSTILE, log_tail=f"Traceback {HOSTILE}"),
    )
    expect(view).to_have_attribute("data-state", "failed")
    expect(view.get_by_role("alert")).to_have_text(f"It broke: {HOSTILE}")
    expect(view.get_by_role("heading", name=HOSTILE)).to_be_visible()
    view.get_by_text("The last lines of its log").click()
    expect(view.locator("pre")).to_have_text(f"Traceback {HOSTILE}")
    assert view.locator("img").count() == 0


def test_a_run_without_attention_shows_its_tokens(bare: BarePage) -> None:
    view = open_run(bare, replace(DONE, events=run_events(400, attention=False)))
    expect(view.get_by_text("This network has no attention")).to_be_visible()
    expect(view.locator(".rv-heatmap-scroll")).to_be_hidden()
    expect(view.locator(".rv-tokens tbody tr")).to_have_count(3)


def test_the_run_view_works_without_a_run_and_before_the_first_evaluation(bare: BarePage) -> None:
    waiting = replace(FIRST, state=RunState.QUEUED, events=(), message="Two runs are before this one.")
    view = open_run(bare, None)
    expect(view.get_by_text("No run to show yet")).to_be_visible()
    update(bare, waiting)
    expect(view.get_by_text("Waiting for its turn")).to_be_visible()
    expect(view.get_by_text("Two runs are before this one.")).to_be_visible()
    expect(view.locator(".rv-curves")).to_be_hidden()  # axes of nothing
    update(bare, replace(FIRST, events=run_events(100)))
    expect(view.locator(".rv-curves")).to_be_visible()
    expect(view.get_by_text("The first evaluation is still to come")).to_be_visible()
    expect(slider(view)).to_be_hidden()
    update(bare, FIRST)
    expect(slider(view)).to_be_visible()


@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light", *full_only(["dark"])])
def test_axe_finds_nothing_and_a_phone_scrolls_one_way(bare: BarePage, scheme: str) -> None:
    report = replace(
        DONE,
        state=RunState.LOST,
        message="It is gone.",
        log_tail="line",
        overlays=(("Before", run_events(600)),),
    )
    view = open_run(bare, report, query=f"?__theme={scheme}")
    slider(view).fill("3")
    for width in (1440, 390):
        view.page.set_viewport_size({"width": width, "height": 900})
        view.page.wait_for_function("width => document.documentElement.scrollWidth === width", arg=width)
        assert violations(view.page, ".run-view") == []
