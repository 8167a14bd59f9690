"""The card of the next token: the strategy's distribution beside the model's, and settings that move."""

from __future__ import annotations

import math
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from tests.browser.bare_page import BarePage
from tests.browser.trace_page import open_trace

NUMBERS = """(card) => [...card.querySelectorAll(".tv-next")].map((line) => {
  const track = line.querySelector(".tv-bar");
  const [bar, mark] = ["::after", "::before"].map((part) => getComputedStyle(track, part));
  const { width } = track.getBoundingClientRect();
  const number = line.querySelector(".tv-number");
  return {
    token: line.querySelector(".tv-token").textContent,
    texts: (number.children.length ? [...number.children] : [number]).map((part) => part.textContent),
    bar: parseFloat(bar.width) / width,
    mark: (parseFloat(mark.insetInlineStart || mark.left) + 1) / width,
    isCut: line.classList.contains("tv-cut"),
  };
})"""


def decoded(context: AppContext, strategy: str, **settings: Any) -> DecodingTrace:
    options = DecodingOptions(strategy, seed=3, max_length=12, **settings)
    return context.decode(DecodeRequest("spa-eng-gru", "Ganó el premio.", options))


def lines(view: Locator) -> list[dict[str, Any]]:
    view.page.evaluate("document.getAnimations().forEach((animation) => animation.finish())")
    numbers: list[dict[str, Any]] = view.locator("[data-card=next]").evaluate(NUMBERS)
    return numbers


def percent(share: float) -> str:
    return "<0.1%" if share < 0.001 else f"{100 * share:.{1 if share < 0.995 else 0}f}%"


def test_the_numbers_of_the_strategy_stand_beside_those_of_the_model(
    bare: BarePage, context: AppContext, subtests: pytest.Subtests
) -> None:
    plain = decoded(context, "sampling")
    view = open_trace(bare, plain)
    probabilities = [math.exp(token.log_prob) for token in plain.steps[0].rows[0].top]
    with subtests.test("of a strategy that changes nothing there is one number"):
        assert [line["texts"] for line in lines(view)][:10] == [[percent(p)] for p in probabilities]
        expect(view.locator(".tv-scales")).to_be_hidden()
    with subtests.test("a temperature and top-k have two, and bar and mark have one scale"):
        bare.show(decoded(context, "sampling", temperature=1.5, top_k=4))
        expect(view).to_have_attribute("data-ready", "2")
        powers = [p ** (1 / 1.5) for p in probabilities[:4]]
        expected = [power / sum(powers) for power in powers]
        first_ten = lines(view)[:10]
        assert [line["texts"][1] for line in first_ten] == [percent(p) for p in probabilities]
        assert [line["texts"][0] for line in first_ten[:4]] == [percent(p) for p in expected]
        assert [line["texts"][0] for line in first_ten[4:]] == ["excluded"] * 6
        assert [line["isCut"] for line in first_ten] == [False] * 4 + [True] * 6
        for line, model, strategy in zip(first_ten, probabilities, [*expected, *[0] * 6], strict=True):
            assert line["mark"] == pytest.approx(model, abs=0.02)
            assert line["bar"] == pytest.approx(strategy, abs=0.02)
        expect(view.locator(".tv-scales")).to_contain_text("bar: the strategy")


SETTINGS = "(view, form) => view.dispatchEvent(new CustomEvent('unrolled:settings', { detail: form }))"


def test_settings_of_the_form_reshape_the_bars_before_anything_is_decoded(
    bare: BarePage, context: AppContext, subtests: pytest.Subtests
) -> None:
    trace = decoded(context, "beam", beam_size=2)
    view = open_trace(bare, trace)
    probabilities = [math.exp(token.log_prob) for token in trace.steps[0].rows[0].top]
    form = {"strategy": "sampling", "temperature": 0.5, "top_k": 3, "top_p": 1, "min_p": 0}
    with subtests.test("the bars are those of the form, and the card says that nothing is decoded"):
        view.evaluate(SETTINGS, form)
        powers = [p**2 for p in probabilities[:3]]
        expected = [percent(power / sum(powers)) for power in powers]
        assert [line["texts"] for line in lines(view)][:3] == [
            [ours, percent(p)] for ours, p in zip(expected, probabilities[:3], strict=True)
        ]
        expect(view.locator(".tv-scales")).to_contain_text("not decoded yet")
    with subtests.test("it says when an estimate is needed"):
        expect(view.locator(".tv-scales")).not_to_contain_text("estimated")
        view.evaluate(SETTINGS, {**form, "top_k": 0})
        expect(view.locator(".tv-scales")).to_contain_text("estimated")
    with subtests.test("a search has no such settings, and the next trace has its own numbers"):
        view.evaluate(SETTINGS, {**form, "strategy": "beam"})
        expect(view.locator(".tv-scales")).to_be_hidden()
        view.evaluate(SETTINGS, form)
        bare.show(decoded(context, "beam", beam_size=3))
        expect(view).to_have_attribute("data-ready", "2")
        expect(view.locator(".tv-scales")).to_be_hidden()
