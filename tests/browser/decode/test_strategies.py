"""The strategies of the Decode tab: what they decode, and which settings they have and refuse."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from models.decoding.strategies import description_of
from tests.browser.accessibility import serious_violations
from tests.browser.decode_page import (
    change,
    choose,
    control,
    hypotheses,
    open_rail,
    results,
    source,
    visit,
    wait_for_result,
)

BEAM = {"Beam size", "Length penalty α", "Length normaliser", "Stop when the beam is full"}
DRAWS = {"Samples", "Temperature", "Top-k", "Top-p", "Min-p", "Seed"}
OWN_CONTROLS = {  # besides the choice of a strategy and the maximum length
    "Greedy": set(),
    "Beam search": BEAM,
    "Threshold beam": BEAM | {"Threshold"},
    "Exact": {"Budget"},
    "Sampling": DRAWS,
    "Stochastic beam": {"Beam size", "Temperature", "Seed"},
    "Minimum Bayes risk": DRAWS | {"Likeness"},
    "Diverse beam": BEAM | {"Groups", "Diversity λ"},
    "Exhaustive": {"Outputs kept", "Length penalty α", "Length normaliser"},
}
SETTLED = "!document.getAnimations().some((each) => each instanceof CSSTransition)"
OUTPUTS = {"Greedy": 1, "Beam search": 4, "Exact": 1, "Sampling": 8, "Stochastic beam": 4}


def test_a_reader_tries_every_strategy(app_page: Page, subtests: pytest.Subtests) -> None:
    chip = app_page.locator("#strategy-chip .chip-value")
    expect(chip).to_have_text("Beam 4")
    source(app_page).fill("hola")
    for strategy, own_controls in OWN_CONTROLS.items():
        with subtests.test("the strategy shows its controls only", strategy=strategy):
            choose(app_page, strategy, decodes=strategy != "Exhaustive")
            if strategy != "Exhaustive":
                assert len(hypotheses(app_page)) == OUTPUTS.get(strategy, len(hypotheses(app_page))) > 0
            shows_controls(app_page, own_controls)
        if strategy == "Greedy":
            expect(chip).to_have_text("Greedy")
        elif strategy == "Beam search":
            with subtests.test("a changed setting decodes and appears in the chip"):
                slide_beam_size(app_page, "2")
                expect(chip).to_have_text("Beam 2")
                expect(app_page.locator(".tv-hypotheses li")).to_have_count(2)
                slide_beam_size(app_page, "4")
        elif strategy == "Diverse beam":
            with subtests.test("groups that do not divide the beam are refused, and follow a smaller beam"):
                choose_groups(app_page)
        elif strategy == "Exhaustive":
            with subtests.test("too large a space is refused with its size and a remedy"):
                search_too_large_a_space(app_page)
        elif strategy == "Sampling":
            with subtests.test("resampling decodes with the next seed"):
                resample(app_page)


@pytest.mark.full
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_no_serious_violation(page: Page, app_url: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    visit(page, f"{app_url}?__theme=light")
    open_rail(page)
    page.locator("#constraints button").first.click()
    expect(page.locator("#constraints textarea, #constraints input[type=text]").last).to_be_visible()
    page.get_by_label("Diverse beam", exact=True).scroll_into_view_if_needed()
    page.wait_for_function(SETTLED)  # the strategies move while the constraints unfold
    for strategy in ("Diverse beam", "Minimum Bayes risk"):
        choose(page, description_of(strategy).label)
        for scheme in ("dark", "light"):
            assert serious_violations(page) == []
            # A phone has it behind three dots.
            page.locator(".page-header .scheme").evaluate("button => button.click()")
            page.wait_for_function(SETTLED)  # colours change by and by
            assert ("dark" in str(page.locator("body").get_attribute("class"))) is (scheme == "dark")
            assert f"__theme={scheme}" in page.url


def shows_controls(page: Page, own_controls: set[str]) -> None:
    labels = page.locator("#strategy-card [data-testid=block-info]:visible")
    expected = {"Strategy", "Maximum length", *own_controls}
    expect(labels).to_have_count(len(expected))
    assert {label.strip() for label in labels.all_text_contents()} == expected
    expect(page.locator("#strategy-description p:visible")).to_have_count(1)
    expect(page.locator("#resample")).to_be_visible(visible="Seed" in own_controls)


def slide_beam_size(page: Page, value: str) -> None:
    before = results(page)
    page.get_by_label("range slider for Beam size").fill(value)
    wait_for_result(page, before)


def choose_groups(page: Page) -> None:
    before = results(page)
    control(page, "Groups").fill("3")
    control(page, "Groups").press("Control+Enter")
    expect(page.locator(".toast-body")).to_contain_text("Choose 1, 2 or 4 groups, or another beam size")
    control(page, "Beam size").fill("2")
    control(page, "Beam size").press("Tab")
    expect(control(page, "Groups")).to_have_value("2")  # more than beams are not offered
    wait_for_result(page, before)
    change(page, "Beam size", "4")


def search_too_large_a_space(page: Page) -> None:
    expect(page.locator(".toast-body")).to_contain_text("sequences; exhaustive search scores no more")
    expect(page.locator("#run")).to_have_attribute("aria-busy", "false")
    expect(page.locator(".toast-body.error")).to_have_count(1)
    change(page, "Maximum length", "1")
    expect(page.locator(".tv-hypotheses li")).to_have_count(4)
    expect(page.locator(".toast-body")).to_have_count(0)  # it is answered


def resample(page: Page) -> None:
    before = results(page)
    page.locator("#resample").click()
    wait_for_result(page, before)
    expect(page.get_by_label("Seed")).to_have_value("1")
    first = hypotheses(page)
    page.locator("#resample").click()
    wait_for_result(page, before + 1)
    expect(page.get_by_label("Seed")).to_have_value("2")
    assert hypotheses(page) != first
    expect(page.locator("#run")).to_have_attribute("aria-busy", "false")
