"""Whole words and the strongest weights, in the browser: every view follows, and nothing is lost."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.requests.decode import DecodeRequest
from demo.service.context import AppContext
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from models.registry.registry import Registry
from tests.browser.bare_page import BarePages
from tests.browser.charts import bring_plotly
from tests.browser.conftest import ROOT
from tests.browser.decode_page import open_more
from tests.browser.trace_page import open_view

CONTEXT = AppContext(Registry(ROOT / "checkpoints"), "cpu")
ROWS = "view => view.querySelector('.tv-heatmap').data[0].z"


def decoded(checkpoint: str, text: str) -> DecodingTrace:
    return CONTEXT.decode(DecodeRequest(checkpoint, text, DecodingOptions(beam_size=2)))


@pytest.fixture
def trace() -> DecodingTrace:
    return decoded("spa-eng-gru", "El arqueólogo fotografió la biblioteca.")


@pytest.fixture
def view(page: Page, bare: BarePages, trace: DecodingTrace) -> Locator:
    view = open_view(page, bare, trace)
    bring_plotly(view.locator(".tv-heatmap"))  # its figure is what tests read
    return view


def chips(view: Locator, part: str) -> list[str]:
    return view.locator(f"{part} b").all_inner_texts()


def test_pieces_become_words_in_every_view_and_back(view: Locator, trace: DecodingTrace) -> None:
    tokens = chips(view, ".tv-out")
    path = trace.path(trace.hypotheses[0].node)
    assert len(tokens) == len(path)
    open_more(view, "left").locator(".tv-merge").check()
    words = chips(view, ".tv-out")
    assert len(words) < len(tokens)
    assert "".join(words) == "".join(tokens)
    assert len(chips(view, ".tv-src")) < len(trace.source)
    rows = view.evaluate(ROWS)
    assert (len(rows), len(rows[0])) == (len(words), len(chips(view, ".tv-src")))
    assert [sum(row) for row in rows] == pytest.approx([1] * len(rows), abs=0.01)
    open_more(view, "left").locator(".tv-merge").uncheck()
    assert chips(view, ".tv-out") == tokens


def test_a_step_is_a_word_while_words_are_shown(view: Locator) -> None:
    open_more(view, "left").locator(".tv-merge").check()
    count = len(chips(view, ".tv-out"))
    for index in range(1, count):
        view.locator(".tv-following").click()
        expect(view.locator(".tv-out").nth(index)).to_have_attribute("aria-current", "step")
    expect(view.locator(".tv-following")).to_have_attribute("aria-disabled", "true")
    expect(view.locator(".tv-status")).to_contain_text(f"word {count} of {count}")
    view.locator(".tv-previous").click()
    expect(view.locator(".tv-out").nth(count - 2)).to_have_attribute("aria-current", "step")


def test_the_strongest_weights_stay_and_the_rest_is_blank(view: Locator) -> None:
    whole = view.evaluate(ROWS)
    open_more(view, "right").locator(".tv-strongest").fill("50")
    expect(view.locator(".tv-strongest-note")).to_contain_text("hold 50% of the attention")
    for before, after in zip(whole, view.evaluate(ROWS), strict=True):
        visible_weights = [weight for weight in after if weight]
        assert sum(visible_weights) >= 0.5 - 1e-6
        assert sum(visible_weights) - min(visible_weights) < 0.5 + 1e-6, "no smaller set would do"
        assert sorted(before, reverse=True)[: len(visible_weights)] == pytest.approx(
            sorted(visible_weights, reverse=True)
        )
    unfiltered = view.evaluate("view => view.querySelector('.tv-heatmap').data[0].customdata")
    assert unfiltered == whole
    open_more(view, "right").locator(".tv-strongest").fill("100")
    assert view.evaluate(ROWS) == whole


def test_a_trace_of_whole_words_has_no_switch_for_words(page: Page, bare: BarePages) -> None:
    view = open_view(page, bare, decoded("reverse-gru", "unrolled"))
    expect(view.locator(".tv-merge")).to_be_hidden()


def test_a_slider_that_is_not_the_stepper_keeps_its_arrow_keys(view: Locator) -> None:
    open_more(view, "right").locator(".tv-strongest").press("ArrowLeft")
    assert open_more(view, "right").locator(".tv-strongest").input_value() == "95"
    expect(view).to_have_attribute("data-step", "0")
    view.locator(".tv-range").press("ArrowRight")
    expect(view).to_have_attribute("data-step", "1")
