"""Journeys through the Decode tab of the real app, with the shipped checkpoints."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.decode_page import (
    EXAMPLE,
    REVERSE,
    change,
    chips,
    choose,
    choose_checkpoint,
    control,
    decode,
    hypotheses,
    open_chip,
    open_rail,
    results,
    source,
    wait_for_result,
)


def test_the_first_paint_shows_a_decoded_example(app_page: Page) -> None:
    assert source(app_page).input_value() == EXAMPLE
    assert chips(app_page)[-1] == "</s>"
    assert hypotheses(app_page)
    expect(app_page.get_by_role("heading", level=1)).to_have_text("Unrolled")
    open_chip(app_page, "checkpoint")
    expect(app_page.locator("#checkpoint-summary")).to_contain_text("BLEU")
    open_chip(app_page, "examples")
    expect(app_page.locator("#examples button:visible")).not_to_have_count(0)


def test_control_enter_and_meta_enter_decode_the_typed_text(app_page: Page) -> None:
    for keys, text in (("Control+Enter", "estoy muy emocionada"), ("Meta+Enter", "buenos días")):
        before, texts = results(app_page), hypotheses(app_page)
        source(app_page).fill(text)
        source(app_page).press(keys)
        wait_for_result(app_page, before)
        assert hypotheses(app_page) != texts


def test_tokens_follow_the_typed_text_and_unknown_characters_are_named(app_page: Page) -> None:
    source(app_page).fill("")
    expect(app_page.locator("#source-tokens .st-chip")).to_have_count(0)
    source(app_page).press_sequentially("la casa", delay=20)
    expect(app_page.locator("#source-tokens .st-chip").last).to_have_text("</s>")
    expect(app_page.locator("#source-tokens .st-chip").first).to_contain_text("la")
    open_chip(app_page, "examples")
    app_page.locator("#source-tokens .st-chip").first.hover()
    expect(app_page.locator("#source-tokens .st-detail")).to_contain_text("id ")
    source(app_page).fill("hola 🙂")
    expect(app_page.locator("#source-tokens .st-note")).to_contain_text("🙂")
    assert app_page.locator("#source-tokens .st-unknown").get_attribute("aria-label").endswith("vocabulary")


BEAM = {"Beam size", "Length penalty α", "Length normaliser", "Stop when the beam is full"}
DRAWS = {"Samples", "Temperature", "Top-k", "Top-p", "Min-p", "Seed"}
OWN_CONTROLS = {  # besides the maximum length, which all have
    "Greedy": set(),
    "Beam search": BEAM,
    "Diverse beam": BEAM | {"Groups", "Diversity λ"},
    "Threshold beam": BEAM | {"Threshold"},
    "Exact": {"Budget"},
    "Exhaustive": {"Outputs kept", "Length penalty α", "Length normaliser"},
    "Sampling": DRAWS,
    "Stochastic beam": {"Beam size", "Temperature", "Seed"},
    "Minimum Bayes risk": DRAWS | {"Likeness"},
}


OUTPUTS = {"Greedy": 1, "Beam search": 4, "Exact": 1, "Sampling": 8, "Stochastic beam": 4}


def test_a_strategy_decodes_and_shows_only_the_controls_that_apply(app_page: Page) -> None:
    card = app_page.locator("#strategy-card")
    every = set.union(*OWN_CONTROLS.values())
    source(app_page).fill("hola")
    for strategy, own_controls in OWN_CONTROLS.items():
        choose(app_page, strategy, decodes=strategy != "Exhaustive")
        if strategy != "Exhaustive":
            assert len(hypotheses(app_page)) == OUTPUTS.get(strategy, len(hypotheses(app_page))) > 0
        expect(card.locator("[data-testid=block-info]:visible", has_text="Maximum length")).to_be_visible()
        for label in every:
            control = card.get_by_text(label, exact=True).locator("visible=true")
            expect(control).to_have_count(int(label in own_controls))
        expect(app_page.locator("#strategy-description p:visible")).to_have_count(1)
        expect(app_page.locator("#resample")).to_be_visible(visible="Seed" in own_controls)


def test_too_large_a_space_is_refused_with_its_size_and_a_remedy(app_page: Page) -> None:
    choose(app_page, "Exhaustive", decodes=False)
    expect(app_page.locator(".toast-body")).to_contain_text("sequences; exhaustive search scores no more")
    expect(app_page.locator("#run")).to_have_attribute("aria-busy", "false")
    expect(app_page.locator(".toast-body.error")).to_have_count(1)
    change(app_page, "Maximum length", "1")
    expect(app_page.locator(".tv-hypotheses li")).to_have_count(4)
    expect(app_page.locator(".toast-body")).to_have_count(0)  # it is answered


def test_groups_that_do_not_divide_the_beam_are_refused(app_page: Page) -> None:
    choose(app_page, "Diverse beam")
    control(app_page, "Groups").fill("3")
    control(app_page, "Groups").press("Control+Enter")
    expect(app_page.locator(".toast-body")).to_contain_text("Choose 1, 2 or 4 groups, or another beam size")
    control(app_page, "Beam size").fill("2")
    control(app_page, "Beam size").press("Tab")
    expect(control(app_page, "Groups")).to_have_value("2")  # more than beams are not offered


def test_active_constraints_are_counted_and_take_effect(app_page: Page) -> None:
    open_rail(app_page)
    constraints = app_page.locator("#constraints")
    expect(constraints.locator("button").first).to_contain_text("Constraints: none")
    constraints.locator("button").first.click()
    change(app_page, "Minimum length", "12")
    expect(constraints.locator("button").first).to_contain_text("Constraints: 1 active")
    app_page.get_by_label("Banned words").fill("unbelievabletown")
    expect(constraints.locator("button").first).to_contain_text("Constraints: 2 active")
    texts = hypotheses(app_page)
    app_page.locator("#run").click()
    expect(app_page.locator(".toast-body")).to_contain_text("Ban one of these, spelt as here")
    assert hypotheses(app_page) == texts
    app_page.get_by_label("Banned words").fill("")
    expect(constraints.locator("button").first).to_contain_text("Constraints: 1 active")
    before = results(app_page)
    app_page.locator("#run").click()
    wait_for_result(app_page, before)
    assert app_page.locator("#trace .tv-out").count() >= 12


def test_resampling_decodes_with_the_next_seed(app_page: Page) -> None:
    choose(app_page, "Sampling")
    before = results(app_page)
    app_page.locator("#resample").click()
    wait_for_result(app_page, before)
    expect(app_page.get_by_label("Seed")).to_have_value("1")
    first = hypotheses(app_page)
    app_page.locator("#resample").click()
    wait_for_result(app_page, before + 1)
    expect(app_page.get_by_label("Seed")).to_have_value("2")
    assert hypotheses(app_page) != first
    expect(app_page.locator("#run")).to_have_attribute("aria-busy", "false")


def test_an_outdated_result_is_marked_while_the_form_differs(app_page: Page) -> None:
    view = app_page.locator("#trace .trace-view")
    texts = hypotheses(app_page)
    expect(view).to_have_attribute("data-stale", "false")
    source(app_page).fill("hola")
    expect(view).to_have_attribute("data-stale", "true")
    expect(view.locator(".tv-stale-note")).to_be_visible()
    assert hypotheses(app_page) == texts
    source(app_page).fill(EXAMPLE)  # the form asks for the result on show
    expect(view).to_have_attribute("data-stale", "false")


def test_leaving_a_decoded_text_does_not_mark_its_result_as_outdated(app_page: Page) -> None:
    before = results(app_page)
    source(app_page).fill("No sé.")
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-stale", "true")
    source(app_page).press("Control+Enter")
    wait_for_result(app_page, before)
    app_page.locator("#trace .tv-out").nth(1).click()
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-step", "1")
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")


def test_another_checkpoint_decodes_the_same_text_with_the_same_strategy(app_page: Page) -> None:
    choose(app_page, "Greedy")
    decode(app_page, "hola")
    choose_checkpoint(app_page, "spa-eng-lstm")
    expect(source(app_page)).to_have_value("hola")
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")
    assert len(hypotheses(app_page)) == 1  # greedy search has one
    before = results(app_page)
    app_page.get_by_role("button", name="Next checkpoint").click()
    wait_for_result(app_page, before)
    expect(app_page.locator("#checkpoint input")).to_have_value("spa-eng-transformer")
    expect(source(app_page)).to_have_value("hola")


def test_a_checkpoint_of_another_kind_shows_its_example_and_keeps_the_text(app_page: Page) -> None:
    summary = str(app_page.locator("#checkpoint-summary").text_content())
    source(app_page).fill("mine")
    choose_checkpoint(app_page, REVERSE)
    assert source(app_page).input_value() != "mine"
    open_chip(app_page, "results")
    earlier = app_page.locator("#results .rs-result", has_text="mine")
    before = results(app_page)
    earlier.click()
    wait_for_result(app_page, before)
    expect(source(app_page)).to_have_value("mine")
    expect(app_page.locator("#checkpoint input")).to_have_value("spa-eng-gru")
    choose_checkpoint(app_page, REVERSE)
    expect(app_page.locator("#checkpoint-summary")).not_to_have_text(summary)
    assert decode(app_page, "abcdef")[0].find("fedcba") >= 0


def test_passing_through_the_picker_changes_nothing(app_page: Page) -> None:
    source(app_page).fill("hola")
    before = results(app_page)
    open_chip(app_page, "checkpoint")
    app_page.locator("#checkpoint input").focus()
    options = app_page.locator("#checkpoint").get_by_role("option")
    expect(options.first).to_be_visible()
    app_page.keyboard.press("Tab")
    expect(options).to_have_count(0)
    decode(app_page, "buenos días")
    assert results(app_page) == before + 1
    assert source(app_page).input_value() == "buenos días"


def test_the_decode_tab_can_be_used_by_keyboard_alone(app_page: Page) -> None:
    def tab_to(selector: str) -> None:
        for _ in range(60):
            app_page.keyboard.press("Tab")
            if app_page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        pytest.fail(f"Tab never reaches {selector}")

    before = results(app_page)
    tab_to("#source textarea")
    app_page.keyboard.press("Control+A")
    app_page.keyboard.type("hola")
    tab_to("#examples-chip .chip-button")
    app_page.keyboard.press("Enter")
    tab_to(".st-chip")
    app_page.keyboard.press("ArrowRight")
    expect(app_page.locator("#source-tokens .st-detail")).to_contain_text("id ")
    tab_to("#strategy-chip .chip-button")
    app_page.keyboard.press("Enter")
    tab_to("#run")
    app_page.keyboard.press("Enter")
    wait_for_result(app_page, before)
    tab_to("#strategy-card input[value=beam]")
    app_page.keyboard.press("ArrowLeft")
    expect(app_page.get_by_label("Greedy", exact=True)).to_be_checked()
    wait_for_result(app_page, before + 1)
    assert len(hypotheses(app_page)) == 1
    tab_to("#strategy-card input[type=number]")
    app_page.keyboard.press("Control+Enter")
    wait_for_result(app_page, before + 2)
