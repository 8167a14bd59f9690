"""The trace view in a browser: every link between its parts, the keys, and hostile text."""

from __future__ import annotations

import json

import gradio as gr
import pytest
from playwright.sync_api import Page, expect

from demo.server.gradio_compat import event_data
from demo.trace.component import TraceView
from tests.browser.bare_page import BarePage
from tests.browser.charts import bring_plotly, click_point
from tests.browser.conftest import Serve
from tests.browser.decode_page import open_more, open_tab
from tests.browser.trace_page import LABELS, NODE_AT, expect_selection, open_trace
from tests.fakes.traces import closed_trace, hostile_trace, large_trace, library_trace
from tests.waiting import wait

OUTSIDE = """() => document.querySelector("main").insertAdjacentHTML(
  "beforeend", "<label><input type=checkbox>outside</label><button>outside</button>")"""


def test_the_view_opens_on_the_best_hypothesis_and_follows_another_one(bare: BarePage) -> None:
    view = open_trace(bare, library_trace())
    expect_selection(view, step=0, node=1, hypothesis=0)
    expect(view.locator(".tv-status")).to_have_text("step 1 of 3: ␣a")
    expect(view.locator(".tv-out b")).to_have_text(["␣a", "␣library", "</s>"])
    expect(view.locator(".tv-hypothesis .tv-text")).to_have_text(["a library", "the book"])
    expect(view.locator(".tv-score")).to_contain_text("−1.13")
    open_tab(view, "hypotheses")
    view.get_by_role("button", name="the book").click()
    expect_selection(view, step=0, node=0, hypothesis=1)
    expect(view.locator(".tv-out b")).to_have_text(["␣the", "␣book", "</s>"])
    expect(view.locator(".tv-heatmap .ytick text")).to_have_text(["␣the", "␣book", "</s>"])
    expect(view.locator("[data-caption=output]")).to_contain_text("␣book")
    expect(view.locator(".tv-chosen .tv-token")).to_have_text("␣the")


def test_the_step_changes_by_button_slider_chip_and_key(bare: BarePage) -> None:
    view = open_trace(bare, library_trace())
    view.get_by_role("button", name="Next step").click()
    expect_selection(view, step=1, node=3, hypothesis=0)
    expect(view.locator(".tv-given")).to_contain_text("␣a")
    view.page.keyboard.press("ArrowRight")
    expect_selection(view, step=2, node=6, hypothesis=0)
    view.page.keyboard.press("Home")
    expect_selection(view, step=0, node=1, hypothesis=0)
    view.get_by_role("slider", name="Step").fill("2")
    expect_selection(view, step=1, node=3, hypothesis=0)
    view.locator(".tv-out").nth(2).click()
    expect_selection(view, step=2, node=6, hypothesis=0)
    expect(view.get_by_role("button", name="Next step")).to_be_disabled()


PLACES = "(tabs) => tabs.filter((tab) => tab.checkVisibility()).map((tab) => tab.getBoundingClientRect().x)"


def test_no_tab_moves_when_another_one_is_chosen(bare: BarePage) -> None:
    view = open_trace(bare, library_trace())
    tabs = view.locator("[role=tab]")
    before = tabs.evaluate_all(PLACES)
    for tab in view.locator("[role=tab][aria-selected=false]:visible").all():
        tab.click()
    assert tabs.evaluate_all(PLACES) == pytest.approx(before, abs=0.5)


def test_keys_stay_with_a_field_outside_the_view(bare: BarePage) -> None:
    view = open_trace(bare, library_trace())
    view.page.evaluate(OUTSIDE)
    view.page.get_by_role("checkbox", name="outside").focus()
    view.page.keyboard.press("ArrowRight")
    view.page.get_by_role("button", name="outside").focus()
    for key in ("ArrowDown", "End"):  # by these the page scrolls
        view.page.keyboard.press(key)
    view.locator(".tv-play").focus()
    view.page.keyboard.press("ArrowRight")
    expect_selection(view, step=1, node=3, hypothesis=0)


def test_up_and_down_move_through_candidates_or_hypotheses(bare: BarePage) -> None:
    view = open_trace(bare, library_trace())
    view.locator(".tv-play").focus()
    view.page.keyboard.press("ArrowUp")
    expect_selection(view, step=0, node=0, hypothesis=1)
    open_tab(view, "hypotheses")
    view.locator(".tv-hypothesis").nth(1).focus()
    view.page.keyboard.press("ArrowUp")
    expect_selection(view, step=0, node=1, hypothesis=0)
    expect(view.locator(".tv-hypothesis").nth(0)).to_be_focused()


def test_play_runs_to_the_end_and_stops(bare: BarePage) -> None:
    view = open_trace(bare, library_trace())
    play = view.get_by_role("button", name="Play")
    play.evaluate(LABELS)
    play.click()
    expect_selection(view, step=2, node=6, hypothesis=0)
    expect(play).to_be_visible()
    assert view.page.evaluate("labels") == ["Pause", "Play"]


def test_a_node_of_the_tree_shows_its_numbers_and_selects_its_path(bare: BarePage) -> None:
    view = open_trace(bare, library_trace())
    tree = view.locator(".tv-tree")
    bring_plotly(tree)
    view.page.mouse.move(*tree.evaluate(NODE_AT, 7))
    hover = tree.locator(".hoverlayer")
    for part in ("</s> at step 3, rank 2", "log-prob −0.22 (80.0%)", "cumulative −1.71", "−0.572", "Ended"):
        expect(hover).to_contain_text(part)
    click_point(tree, tree.evaluate(NODE_AT, 5))
    expect_selection(view, step=1, node=5, hypothesis=-1)
    expect(view.locator(".tv-out b")).to_have_text(["␣the", "␣bank"])
    expect(view.locator(".tv-heatmap .ytick text")).to_have_text(["␣the", "␣bank"])
    expect(view.locator(".tv-score")).to_contain_text("Enough better candidates went on")
    expect(view.locator(".tv-candidates .tv-on .tv-token")).to_have_text("␣bank")


def test_the_table_offers_the_tree_by_keyboard_and_a_probable_token_opens_its_row(bare: BarePage) -> None:
    view = open_trace(bare, library_trace())
    open_tab(view, "candidates")
    rows = view.locator(".tv-candidates tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(2)).to_contain_text("my")
    expect(rows.nth(2)).to_contain_text("pruned")
    rows.nth(2).get_by_role("button").focus()
    view.page.keyboard.press("Enter")
    expect_selection(view, step=0, node=2, hypothesis=-1)
    expect(rows.nth(2).get_by_role("button")).to_have_attribute("aria-pressed", "true")
    expect(rows.nth(2).get_by_role("button")).to_be_focused()
    open_tab(view, "next")
    view.locator("button.tv-next", has_text="the").click()
    expect_selection(view, step=0, node=0, hypothesis=1)


def test_several_layers_and_heads_can_be_chosen_and_sentences_speak_of_what_is_drawn(bare: BarePage) -> None:
    view = open_trace(bare, library_trace(layers=2, heads=2))
    first = view.locator(".tv-src small").first
    note, moves = view.locator(".tv-strongest-note"), view.locator("[data-caption=attention]")
    expect(note).to_be_empty()  # nobody has asked for the strongest weights
    open_more(view, "right").locator(".tv-strongest").fill("95")
    expect(note).to_contain_text("of this step: 51.1% on")
    expect(moves).to_be_visible()
    view.page.keyboard.press("Escape")
    expect(first).to_have_text("0.51")  # the mean of 0.70, 0.54, 0.44, 0.37: see `focused`
    view.get_by_role("combobox", name="layer").select_option("1")
    view.get_by_role("combobox", name="head").select_option("1")
    expect(first).to_have_text("0.70")
    expect(note).to_contain_text("of this step: 70.0% on")


def test_a_single_layer_and_head_have_no_pickers_and_pruned_candidates_can_be_hidden(bare: BarePage) -> None:
    view = open_trace(bare, library_trace())
    expect(view.get_by_role("combobox", name="layer")).to_be_hidden()
    expect(view.get_by_role("combobox", name="head")).to_be_hidden()
    parts = view.locator(".tv-tree [data-part]")
    labels = view.locator(".tv-tree [data-part] text")
    every = labels.count()
    expect(parts.and_(view.locator("[data-part=pruned]"))).not_to_have_count(0)
    open_more(view, "centre").get_by_label("show pruned").uncheck()
    expect(labels).to_have_count(every - 3)
    expect(parts.and_(view.locator("[data-part=pruned]"))).to_have_count(0)


def test_an_output_at_the_length_limit_is_marked_as_cut_off(bare: BarePage) -> None:
    view = open_trace(bare, closed_trace())
    expect(view.locator(".tv-score em")).to_have_text("cut off at the length limit")
    expect(view.locator(".tv-hypothesis .tv-text").first).to_contain_text("cut off")
    view = open_trace(bare, library_trace())
    expect(view.locator(".tv-score em")).to_have_text("ended by itself")


def test_a_model_without_attention_is_named(bare: BarePage) -> None:
    view = open_trace(bare, library_trace(attention=False))
    expect(view.locator(".tv-no-attention")).to_contain_text("no attention")
    expect(view.locator(".tv-heatmap-scroll")).to_be_hidden()


def test_a_new_value_replaces_the_one_before(bare: BarePage) -> None:
    view = open_trace(bare, library_trace())
    view.get_by_role("button", name="Next step").click()
    expect(view.locator(".tv-out b").first).to_have_text("␣a")
    bare.show(hostile_trace())
    expect(view).to_have_attribute("data-ready", "2")
    expect_selection(view, step=0, node=0, hypothesis=0)


def test_a_repeated_answer_counts_as_an_answer(bare: BarePage) -> None:
    view = open_trace(bare, library_trace())
    bare.show(library_trace())
    expect(view).to_have_attribute("data-ready", "2")


def test_nothing_jumps_when_the_reader_steps(bare: BarePage) -> None:
    view = open_trace(bare, large_trace(beam=4, steps=8, fan=3))
    heights = set()
    for _ in range(8):
        heights.add(view.evaluate("(root) => root.offsetHeight"))
        view.locator(".tv-following").evaluate("(button) => button.click()")
    assert len(heights) == 1


def test_hostile_text_stays_text(bare: BarePage) -> None:
    view = open_trace(bare, hostile_trace())
    expect(view.locator(".tv-out b").first).to_contain_text("<img")
    expect(view.locator(".tv-src b").first).to_have_text("</script><script>alert(1)</script>")
    assert view.locator("img, script, b b, a[href]").count() == 0
    expect(view.locator(".tv-heatmap .ytick text").last).to_have_text("</s>")


def test_a_view_without_a_value_waits(bare: BarePage) -> None:
    view = open_trace(bare, None)
    expect(view.get_by_text("Nothing decoded yet")).to_be_visible()
    bare.show(library_trace())
    expect(view).to_have_attribute("data-ready", "1")


def test_two_views_are_independent(page: Page, serve: Serve) -> None:
    with gr.Blocks(analytics_enabled=False) as demo:
        TraceView(library_trace(), elem_id="one")
        TraceView(library_trace(), elem_id="two")
    page.goto(serve(demo))
    one, two = page.locator("#one .trace-view"), page.locator("#two .trace-view")
    expect(one).to_have_attribute("data-ready", "1")
    expect(two).to_have_attribute("data-ready", "1")
    open_tab(two, "hypotheses")
    two.get_by_role("button", name="the book").click()
    expect_selection(two, step=0, node=0, hypothesis=1)
    expect_selection(one, step=0, node=1, hypothesis=0)
    assert page.evaluate("() => typeof window.traceView") == "undefined"


selections: list[object] = []  # that have reached Python


def test_the_selection_reaches_python_after_a_pause(page: Page, serve: Serve) -> None:
    with gr.Blocks(analytics_enabled=False) as demo:
        trace = TraceView(library_trace(), elem_id="view")
        event = gr.Textbox(label="event")
        # On a busy machine each click is an event of its own, and answers come in any order. Gradio drops an
        # event during another by default.
        trace.select(on_select, outputs=event, show_progress="hidden", trigger_mode="multiple")
    page.goto(serve(demo))
    view = page.locator("#view .trace-view")
    view.get_by_role("button", name="Next step").click()
    view.get_by_role("button", name="Next step").click()
    wait(lambda: {"step": 2, "node": 6, "hypothesis": 0} in selections)


def on_select(event: gr.EventData) -> str:
    selections.append(event_data(event))
    return json.dumps(event_data(event))


@pytest.mark.parametrize("width", [1440, 390])
def test_the_page_never_scrolls_sideways(bare: BarePage, width: int) -> None:
    view = open_trace(bare, None)
    view.page.set_viewport_size({"width": width, "height": 800})
    bare.show(large_trace(beam=6, steps=20, fan=3))
    expect(view).to_have_attribute("data-ready", "1")
    assert view.page.evaluate("() => document.documentElement.scrollWidth") == width
    open_tab(view, "tree")
    expect(view.locator(".tv-tree .tv-painting")).to_be_visible()
    pane = view.locator("[data-pane=centre] .tv-pane-body")
    assert pane.evaluate("(box) => box.scrollWidth > box.clientWidth")


def test_charts_follow_the_dark_page(bare: BarePage) -> None:
    view = open_trace(bare, library_trace(), query="?__theme=light")
    marker = view.locator(".tv-tree g[data-part=finished] path")
    before = marker.evaluate("(point) => getComputedStyle(point).fill")
    view.page.evaluate("() => document.body.classList.add('dark')")
    expect(marker).not_to_have_css("fill", before)
