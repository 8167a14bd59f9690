"""Edits of a decoding in the browser: forced tokens, typed tokens, attention, and undo."""

from __future__ import annotations

from collections.abc import Callable

import gradio as gr
import pytest
from playwright.sync_api import Locator, Page, expect

from demo.requests.decode import DecodeRequest
from demo.service.context import AppContext
from demo.service.decoding.running import RunningDecodings
from demo.tabs.decode.edits import wire_edits
from demo.tabs.decode.immediate_answers import immediate_functions
from demo.views.trace.component import TraceView
from models.decoding.options import DecodingOptions
from models.registry.registry import Registry
from tests.browser.conftest import ROOT
from tests.browser.decode_page import open_more, open_tab
from tests.browser.questions import questions

CHECKPOINT = "spa-eng-gru"
SENTENCE = "¿Dónde está la biblioteca?"


@pytest.fixture
def view(page: Page, serve: Callable[..., str]) -> Locator:
    context = AppContext(Registry(ROOT / "checkpoints"), "cpu")
    trace = context.decode(DecodeRequest(CHECKPOINT, SENTENCE, DecodingOptions(beam_size=3)))
    with gr.Blocks(analytics_enabled=False) as demo:
        running = RunningDecodings()
        functions = immediate_functions(context, running)
        component = TraceView(trace, elem_id="view", editable=True, server_functions=functions)
        wire_edits(context, running, component)
    page.goto(serve(demo))
    view = page.locator("#view .trace-view")
    expect(view).to_have_attribute("data-ready", "1")
    return view


def output(view: Locator) -> str:
    return str(view.locator(".tv-hypothesis .tv-text").first.text_content())


def versions(view: Locator) -> list[str]:
    return view.locator(".tv-version .tv-text").all_inner_texts()


def wait_for_version(view: Locator, count: int) -> None:
    expect(view.locator(".tv-version")).to_have_count(count)
    expect(view).to_have_attribute("data-editing", "false")


def test_a_forced_candidate_begins_a_new_output_beside_the_original(view: Locator) -> None:
    original = output(view)
    second = view.locator(".tv-bars li").nth(1)
    token = second.locator(".tv-token").inner_text()
    second.locator(".tv-force").click()
    wait_for_version(view, 2)
    assert versions(view) == [original, output(view)]
    assert view.locator(".tv-strip .tv-out b").first.inner_text() == token
    expect(view.locator(".tv-forced")).to_have_count(1)
    expect(view.locator("[data-caption=edit]")).to_contain_text(token.lstrip("␣"))
    view.locator(".tv-following").click()
    open_tab(view, "next")
    apostrophe = view.locator(".tv-bars li", has=view.page.get_by_text("'", exact=True))
    apostrophe.locator(".tv-force").click()
    wait_for_version(view, 3)
    # The piece continues the previous word, and it alone is named: the reader forced no more.
    expect(view.locator(".tv-version .tv-what").nth(2)).to_have_text("“'” at step 2")
    expect(view).to_have_attribute("data-step", "1")
    expect(view.locator(".tv-forced")).to_have_count(2)


def test_a_kept_word_is_not_outlined_as_forced(view: Locator) -> None:
    view.locator(".tv-following").click()
    view.locator(".tv-bars li").nth(1).locator(".tv-force").click()
    wait_for_version(view, 2)
    expect(view.locator(".tv-forced")).to_have_count(1)


def test_undo_and_history_send_no_request(view: Locator, page: Page) -> None:
    original = output(view)
    view.locator(".tv-bars li").nth(1).locator(".tv-force").click()
    wait_for_version(view, 2)
    edited = output(view)
    posted = questions(page)
    view.locator(".tv-undo").click()
    expect(view.locator(".tv-hypothesis .tv-text").first).to_have_text(original)
    expect(view.locator(".tv-undo")).to_be_disabled()
    view.locator(".tv-version").nth(1).click()
    expect(view.locator(".tv-hypothesis .tv-text").first).to_have_text(edited)
    assert not [url for url in posted if "queue" in url or "run" in url]


def test_a_typed_word_is_forced_at_the_current_step(view: Locator) -> None:
    view.locator(".tv-following").click()
    open_more(view, "left").locator(".tv-typed input").fill("was")
    open_more(view, "left").locator(".tv-typed input").press("Enter")
    wait_for_version(view, 2)
    assert view.locator(".tv-strip .tv-out b").nth(1).inner_text() == "␣was"
    assert "was" in output(view)


def test_a_word_of_several_pieces_stays_one_word(view: Locator, page: Page) -> None:
    step = int(view.get_attribute("data-step") or "")
    for version, word in ((2, "Zanzibarland"), (3, "Wolfenstein")):
        open_tab(view, "next")
        open_more(view, "left").locator(".tv-typed input").fill(word)
        open_more(view, "left").locator(".tv-typed button").click()
        wait_for_version(view, version)
        expect(view).to_have_attribute("data-step", str(step))  # so the next word replaces all of it
        named = view.locator(".tv-version .tv-what").nth(version - 1)
        expect(named).to_contain_text(word)
        expect(named).to_contain_text(f"tokens from step {step + 1}")
        assert word in output(view)
    assert "Zanzibarland" not in output(view)
    expect(page.locator(".toast-body")).to_have_count(0)


def test_a_character_that_the_vocabulary_lacks_leaves_the_typed_text(view: Locator, page: Page) -> None:
    original = output(view)
    open_more(view, "left").locator(".tv-typed input").fill("语<script>")
    open_more(view, "left").locator(".tv-typed button").click()
    expect(page.locator(".toast-body")).to_contain_text("lacks")
    expect(view).to_have_attribute("data-editing", "false")
    assert output(view) == original
    assert view.locator(".tv-typed input").input_value() == "语<script>"


def test_a_pruned_node_can_be_followed(view: Locator) -> None:
    open_tab(view, "candidates")
    pruned = view.locator(".tv-candidates tr", has_text="pruned").first
    token = pruned.locator(".tv-candidate").inner_text()
    pruned.locator(".tv-candidate").click()
    view.locator(".tv-anew").click()
    wait_for_version(view, 2)
    assert view.locator(".tv-strip .tv-out b").first.inner_text() == token


def test_attention_can_be_put_on_one_source_token(view: Locator) -> None:
    for _ in range(3):
        view.locator(".tv-following").click()
    open_more(view, "right").locator(".tv-edit-attention").click()
    editor = view.locator(".tv-row-editor")
    expect(editor).to_be_visible()
    editor.locator("li").nth(1).locator(".tv-only").click()
    assert editor.locator("li .tv-number").all_inner_texts()[1] == "1.00"
    editor.locator(".tv-apply").click()
    wait_for_version(view, 2)
    expect(view.locator("[data-caption=edit]")).to_contain_text("Attention was replaced by yours at step 4")
    view.locator(".tv-range").fill("4")
    shares = view.locator(".tv-source .tv-src small").all_inner_texts()
    assert shares[1] == "1.00"
    assert set(shares[:1] + shares[2:]) == {".00"}


def test_an_edit_of_an_edit_joins_the_same_history(view: Locator) -> None:
    view.locator(".tv-bars li").nth(1).locator(".tv-force").click()
    wait_for_version(view, 2)
    open_tab(view, "next")
    view.locator(".tv-following").click()
    view.locator(".tv-bars li").nth(2).locator(".tv-force").click()
    wait_for_version(view, 3)
    expect(
        open_more(view, "left").locator(".tv-typed input")
    ).to_be_visible()  # the next edit needs no way back
    expect(view.locator(".tv-strip .tv-forced")).to_have_count(2)
    open_tab(view, "versions")
    view.locator(".tv-undo").click()
    expect(view.locator(".tv-version").nth(1)).to_have_attribute("aria-pressed", "true")
    expect(view.locator(".tv-forced")).to_have_count(1)
