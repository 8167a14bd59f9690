"""Whole words and the strongest weights, in the browser: every view follows, and nothing is lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from tests.browser.bare_page import BarePage
from tests.browser.charts import bring_plotly
from tests.browser.decode_page import open_more
from tests.browser.trace_page import open_trace

ROWS = "view => view.querySelector('.tv-heatmap').data[0].z"
UNFILTERED = "view => view.querySelector('.tv-heatmap').data[0].customdata"


def decoded(context: AppContext, checkpoint: str, text: str) -> DecodingTrace:
    return context.decode(DecodeRequest(checkpoint, text, DecodingOptions(beam_size=2)))


def chips(view: Locator, part: str) -> list[str]:
    return view.locator(f"{part} b").all_inner_texts()


def test_pieces_become_words_and_weak_weights_blank_in_every_view_and_back(
    bare: BarePage, context: AppContext, subtests: pytest.Subtests
) -> None:
    trace = decoded(context, "spa-eng-gru", "El arqueólogo fotografió la biblioteca.")
    view = open_trace(bare, trace)
    bring_plotly(view.locator(".tv-heatmap"))  # its figure is what the test reads
    tokens = chips(view, ".tv-out")
    assert len(tokens) == len(trace.path(trace.hypotheses[0].node))
    with subtests.test("the strongest weights stay, and the rest is blank"):
        strongest_weights_stay(view)
    with subtests.test("a slider that is not the stepper keeps its arrow keys"):
        open_more(view, "right").locator(".tv-strongest").press("ArrowLeft")
        assert open_more(view, "right").locator(".tv-strongest").input_value() == "95"
        expect(view).to_have_attribute("data-step", "0")
        view.locator(".tv-range").press("ArrowRight")
        expect(view).to_have_attribute("data-step", "1")
        view.locator(".tv-range").press("ArrowLeft")
    open_more(view, "right").locator(".tv-strongest").fill("100")
    with subtests.test("pieces become words"):
        open_more(view, "left").locator(".tv-merge").check()
        words = chips(view, ".tv-out")
        assert len(words) < len(tokens)
        assert "".join(words) == "".join(tokens)
        assert len(chips(view, ".tv-src")) < len(trace.source)
        rows = view.evaluate(ROWS)
        assert (len(rows), len(rows[0])) == (len(words), len(chips(view, ".tv-src")))
        assert [sum(row) for row in rows] == pytest.approx([1] * len(rows), abs=0.01)
    with subtests.test("a step is a word"):
        steps_are_words(view)
    with subtests.test("words become pieces"):
        open_more(view, "left").locator(".tv-merge").uncheck()
        assert chips(view, ".tv-out") == tokens
    with subtests.test("a trace of whole words has no switch for words"):
        bare.show(decoded(context, "reverse-gru", "unrolled"))
        expect(view).to_have_attribute("data-ready", "2")
        expect(view.locator(".tv-merge")).to_be_hidden()


def strongest_weights_stay(view: Locator) -> None:
    whole = view.evaluate(ROWS)
    open_more(view, "right").locator(".tv-strongest").fill("50")
    expect(view.locator(".tv-strongest-note")).to_contain_text("; 50% on")
    for before, after in zip(whole, view.evaluate(ROWS), strict=True):
        visible_weights = [weight for weight in after if weight]
        assert sum(visible_weights) >= 0.5 - 1e-6
        assert sum(visible_weights) - min(visible_weights) < 0.5 + 1e-6, "no smaller set would do"
        assert sorted(before, reverse=True)[: len(visible_weights)] == pytest.approx(
            sorted(visible_weights, reverse=True)
        )
    assert view.evaluate(UNFILTERED) == whole
    open_more(view, "right").locator(".tv-strongest").fill("100")
    assert view.evaluate(ROWS) == whole


def steps_are_words(view: Locator) -> None:
    count = len(chips(view, ".tv-out"))
    for index in range(1, count):
        view.locator(".tv-following").click()
        expect(view.locator(".tv-out").nth(index)).to_have_attribute("aria-current", "step")
    expect(view.locator(".tv-following")).to_have_attribute("aria-disabled", "true")
    expect(view.locator(".tv-status")).to_contain_text(f"word {count} of {count}")
    view.locator(".tv-previous").click()
    expect(view.locator(".tv-out").nth(count - 2)).to_have_attribute("aria-current", "step")
