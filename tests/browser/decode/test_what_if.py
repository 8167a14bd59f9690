"""Edits of a decoding in the browser: forced tokens, typed tokens, attention, and undo."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.decode.server_functions import on_edit, server_functions
from demo.server.calls.begun_work import BegunWork, State
from demo.server.gate.rates import Rates
from demo.server.page import Page as PageBlocks
from demo.trace.component import TraceView
from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from demo.work.running import RunningDecodings
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from tests.browser.bare_page import BarePage
from tests.browser.conftest import Serve
from tests.browser.decode_page import open_more, open_tab
from tests.browser.questions import questions

NO_PROGRESS = 300  # seconds, longer than a test may take


@pytest.fixture
def trace(context: AppContext) -> DecodingTrace:
    sentence = "¿Dónde está la biblioteca?"
    return context.decode(DecodeRequest("spa-eng-gru", sentence, DecodingOptions(beam_size=3)))


@pytest.fixture
def view(
    bare: BarePage, context: AppContext, trace: DecodingTrace, monkeypatch: pytest.MonkeyPatch
) -> Locator:
    monkeypatch.setattr("demo.work.running.FIRST_REPORT_SECONDS", NO_PROGRESS)
    running, work = RunningDecodings(), BegunWork()

    async def begin_edit(data: object) -> State:
        return await work.first_state(on_edit(context, running, "a session", data))

    bare.open(TraceView(trace, elem_id="view", editable=True, server_functions=[begin_edit]))
    view = bare.page.locator("#view .trace-view")
    expect(view).to_have_attribute("data-ready", "1")
    return view


# Where the track of each bar begins and how wide it is, in pixels.
TRACKS = """(bars) => bars.map((bar) => {
  const { left, width } = bar.getBoundingClientRect();
  return [Math.round(left), Math.round(width)].join();
})"""


def output(view: Locator) -> str:
    return str(view.locator(".tv-hypothesis .tv-text").first.text_content())


def versions(view: Locator) -> list[str]:
    return view.locator(".tv-version .tv-text").all_inner_texts()


def wait_for_version(view: Locator, count: int) -> None:
    expect(view.locator(".tv-version")).to_have_count(count)
    expect(view).to_have_attribute("data-editing", "false")


@pytest.mark.parametrize("width", [1440, 390])
def test_all_bars_of_a_list_have_one_scale(view: Locator, width: int) -> None:
    """Rows with a button, rows without one, and that of all other tokens."""
    view.page.set_viewport_size({"width": width, "height": 900})
    bars = view.locator(".tv-bars .tv-bar")
    expect(view.locator(".tv-bars .tv-others")).to_be_visible()
    expect(view.locator(".tv-bars .tv-force")).to_have_count(bars.count() - 2)
    tracks = bars.evaluate_all(TRACKS)
    assert len(set(tracks)) == 1, tracks


def test_a_forced_candidate_begins_a_new_output_beside_the_original(
    view: Locator, subtests: pytest.Subtests
) -> None:
    original = output(view)
    second = view.locator(".tv-bars li").nth(1)
    token = second.locator(".tv-token").inner_text()
    second.locator(".tv-force").click()
    wait_for_version(view, 2)
    edited = output(view)
    with subtests.test("both outputs are there"):
        assert versions(view) == [original, edited]
        assert view.locator(".tv-strip .tv-out b").first.inner_text() == token
        expect(view.locator(".tv-forced")).to_have_count(1)
        expect(view.locator("[data-caption=edit]")).to_contain_text(token.lstrip("␣"))
    with subtests.test("the mark of a forced token and that of the current step are both visible"):
        forced = view.locator(".tv-forced[aria-current]")
        both = [
            forced.evaluate(f"(chip) => getComputedStyle(chip).{name}") for name in ("boxShadow", "outline")
        ]
        free = view.locator(".tv-out:not(.tv-forced)").first
        assert both[0] != free.evaluate("(chip) => getComputedStyle(chip).boxShadow")
        assert both[1] != free.evaluate("(chip) => getComputedStyle(chip).outline")
    with subtests.test("undo and history send no request"):
        posted = questions(view.page)
        view.locator(".tv-undo").click()
        expect(view.locator(".tv-hypothesis .tv-text").first).to_have_text(original)
        expect(view.locator(".tv-undo")).to_be_disabled()
        view.locator(".tv-version").nth(1).click()
        expect(view.locator(".tv-hypothesis .tv-text").first).to_have_text(edited)
        assert posted == []
    view.locator(".tv-following").click()
    open_tab(view, "next")
    apostrophe = view.locator(".tv-bars li", has=view.page.get_by_text("'", exact=True))
    apostrophe.locator(".tv-force").click()
    wait_for_version(view, 3)
    with subtests.test("a piece that continues the word before is named alone"):  # no more was forced
        expect(view.locator(".tv-version .tv-what").nth(2)).to_have_text("“'” at step 2")
        expect(view).to_have_attribute("data-step", "1")
        expect(view.locator(".tv-forced")).to_have_count(2)


def test_a_kept_word_is_not_outlined_as_forced(view: Locator) -> None:
    view.locator(".tv-following").click()
    view.locator(".tv-bars li").nth(1).locator(".tv-force").click()
    wait_for_version(view, 2)
    expect(view.locator(".tv-forced")).to_have_count(1)


def test_a_typed_word_is_forced_at_the_current_step(view: Locator) -> None:
    view.locator(".tv-following").click()
    open_more(view, "left").locator(".tv-typed input").fill("was")
    open_more(view, "left").locator(".tv-typed input").press("Enter")
    wait_for_version(view, 2)
    assert view.locator(".tv-strip .tv-out b").nth(1).inner_text() == "␣was"
    assert "was" in output(view)


def test_a_word_of_several_pieces_stays_one_word(view: Locator) -> None:
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
    assert view.page.evaluate("bare.events.filter(({ name }) => name === 'error')") == []


def test_an_edit_is_refused_in_words(bare: BarePage, view: Locator) -> None:
    box = open_more(view, "left").locator(".tv-typed input")
    box.fill("语<script>")
    open_more(view, "left").locator(".tv-typed button").click()
    assert "lacks" in bare.wait_for_event("error")
    expect(view).to_have_attribute("data-editing", "false")
    expect(view.locator(".tv-version")).to_have_count(1)
    expect(box).to_have_value("语<script>")


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
    assert set(shares[:1] + shares[2:]) == {"0.00"}
    view.locator(".tv-range").fill("2")
    open_tab(view, "next")
    view.locator(".tv-bars .tv-force").first.click()
    wait_for_version(view, 3)
    expect(view.locator(".tv-version .tv-what").last).to_contain_text(
        "at step 2"
    )  # the edit, not the one before


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


def test_gradios_page_shows_the_refusal_of_an_edit(
    page: Page, serve: Serve, context: AppContext, trace: DecodingTrace
) -> None:
    with PageBlocks(Rates(0), lambda _: None, analytics_enabled=False) as demo:
        functions = server_functions(context, RunningDecodings())
        TraceView(trace, elem_id="view", editable=True, server_functions=functions)
    page.goto(serve(demo))
    view = page.locator("#view .trace-view")
    expect(view).to_have_attribute("data-ready", "1")
    original = output(view)
    open_more(view, "left").locator(".tv-typed input").fill("语<script>")
    open_more(view, "left").locator(".tv-typed button").click()
    expect(page.locator(".toast-body")).to_contain_text("lacks")
    expect(view).to_have_attribute("data-editing", "false")
    assert output(view) == original
    assert view.locator(".tv-typed input").input_value() == "语<script>"
    open_more(view, "left").locator(".tv-typed input").fill("Here")
    open_more(view, "left").locator(".tv-typed button").click()
    wait_for_version(view, 2)
    assert versions(view) == [original, output(view)]
    assert output(view).startswith("Here")
