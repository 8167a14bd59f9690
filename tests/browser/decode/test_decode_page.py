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


def test_the_first_paint_shows_a_decoded_example(opened: Page) -> None:
    assert source(opened).input_value() == EXAMPLE
    assert chips(opened)[-1] == "</s>"
    assert hypotheses(opened)
    expect(opened.get_by_role("heading", level=1)).to_have_text("Unrolled")
    open_chip(opened, "checkpoint")
    expect(opened.locator("#checkpoint-summary")).to_contain_text("BLEU")
    open_chip(opened, "examples")
    expect(opened.locator("#examples button:visible")).not_to_have_count(0)


def test_typing_and_a_key_decode(opened: Page) -> None:
    for keys, text in (("Control+Enter", "estoy muy emocionada"), ("Meta+Enter", "buenos días")):
        before, texts = results(opened), hypotheses(opened)
        source(opened).fill(text)
        source(opened).press(keys)
        wait_for_result(opened, before)
        assert hypotheses(opened) != texts


def test_tokens_follow_what_is_typed_and_unknown_characters_are_named(opened: Page) -> None:
    source(opened).fill("")
    expect(opened.locator("#source-tokens .st-chip")).to_have_count(0)
    source(opened).press_sequentially("la casa", delay=20)
    expect(opened.locator("#source-tokens .st-chip").last).to_have_text("</s>")
    expect(opened.locator("#source-tokens .st-chip").first).to_contain_text("la")
    open_chip(opened, "examples")
    opened.locator("#source-tokens .st-chip").first.hover()
    expect(opened.locator("#source-tokens .st-detail")).to_contain_text("id ")
    source(opened).fill("hola 🙂")
    expect(opened.locator("#source-tokens .st-note")).to_contain_text("🙂")
    assert opened.locator("#source-tokens .st-unknown").get_attribute("aria-label").endswith("vocabulary")


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


def test_a_strategy_shows_only_the_controls_that_apply(opened: Page) -> None:
    card = opened.locator("#strategy-card")
    every = set.union(*OWN_CONTROLS.values())
    for strategy, own_controls in OWN_CONTROLS.items():
        choose(opened, strategy, decodes=strategy != "Exhaustive")
        expect(card.locator("[data-testid=block-info]:visible", has_text="Maximum length")).to_be_visible()
        for label in every:
            control = card.get_by_text(label, exact=True).locator("visible=true")
            expect(control).to_have_count(int(label in own_controls))
        expect(opened.locator("#strategy-description p:visible")).to_have_count(1)
        expect(opened.locator("#resample")).to_be_visible(visible="Seed" in own_controls)


def test_every_strategy_decodes(opened: Page) -> None:
    source(opened).fill("hola")
    counts = {"Greedy": 1, "Beam search": 4, "Exact": 1, "Sampling": 8, "Stochastic beam": 4}
    for strategy in OWN_CONTROLS.keys() - {"Exhaustive"}:
        choose(opened, strategy)
        assert len(hypotheses(opened)) == counts.get(strategy, len(hypotheses(opened))) > 0


def test_too_large_a_space_is_refused_with_its_size_and_a_remedy(opened: Page) -> None:
    choose(opened, "Exhaustive", decodes=False)
    expect(opened.locator(".toast-body")).to_contain_text("sequences; exhaustive search looks at no more")
    expect(opened.locator("#run")).to_have_attribute("aria-busy", "false")
    expect(opened.locator(".toast-body.error")).to_have_count(1)
    change(opened, "Maximum length", "1")
    expect(opened.locator(".tv-hypotheses li")).to_have_count(4)
    expect(opened.locator(".toast-body")).to_have_count(0)  # it is answered


def test_groups_that_do_not_divide_the_beam_get_a_sentence(opened: Page) -> None:
    choose(opened, "Diverse beam")
    control(opened, "Groups").fill("3")
    control(opened, "Groups").press("Control+Enter")
    expect(opened.locator(".toast-body")).to_contain_text("Choose 1, 2 or 4 groups, or another beam size")
    control(opened, "Beam size").fill("2")
    control(opened, "Beam size").press("Tab")
    expect(control(opened, "Groups")).to_have_value("2")  # more than beams are not offered


def test_constraints_say_how_many_are_active_and_bind(opened: Page) -> None:
    open_rail(opened)
    constraints = opened.locator("#constraints")
    expect(constraints.locator("button").first).to_contain_text("Constraints: none")
    constraints.locator("button").first.click()
    change(opened, "Minimum length", "12")
    expect(constraints.locator("button").first).to_contain_text("Constraints: 1 active")
    opened.get_by_label("Banned words").fill("unbelievabletown")
    expect(constraints.locator("button").first).to_contain_text("Constraints: 2 active")
    texts = hypotheses(opened)
    opened.locator("#run").click()
    expect(opened.locator(".toast-body")).to_contain_text("Ban one of these, spelt as here")
    assert hypotheses(opened) == texts
    opened.get_by_label("Banned words").fill("")
    expect(constraints.locator("button").first).to_contain_text("Constraints: 1 active")
    before = results(opened)
    opened.locator("#run").click()
    wait_for_result(opened, before)
    assert opened.locator("#trace .tv-out").count() >= 12


def test_resampling_takes_the_next_seed_and_runs(opened: Page) -> None:
    choose(opened, "Sampling")
    before = results(opened)
    opened.locator("#resample").click()
    wait_for_result(opened, before)
    expect(opened.get_by_label("Seed")).to_have_value("1")
    first = hypotheses(opened)
    opened.locator("#resample").click()
    wait_for_result(opened, before + 1)
    expect(opened.get_by_label("Seed")).to_have_value("2")
    assert hypotheses(opened) != first
    expect(opened.locator("#run")).to_have_attribute("aria-busy", "false")


def test_an_old_result_stays_and_is_marked_until_the_new_one_is_there(opened: Page) -> None:
    view = opened.locator("#trace .trace-view")
    texts = hypotheses(opened)
    expect(view).to_have_attribute("data-stale", "false")
    source(opened).fill("hola")
    expect(view).to_have_attribute("data-stale", "true")
    expect(view.locator(".tv-stale-note")).to_be_visible()
    assert hypotheses(opened) == texts
    source(opened).fill(EXAMPLE)  # the form asks for the result on show
    expect(view).to_have_attribute("data-stale", "false")


def test_leaving_a_text_that_is_decoded_does_not_make_its_result_old(opened: Page) -> None:
    before = results(opened)
    source(opened).fill("No sé.")
    expect(opened.locator("#trace .trace-view")).to_have_attribute("data-stale", "true")
    source(opened).press("Control+Enter")
    wait_for_result(opened, before)
    opened.locator("#trace .tv-out").nth(1).click()
    expect(opened.locator("#trace .trace-view")).to_have_attribute("data-step", "1")
    expect(opened.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")


def test_another_checkpoint_decodes_the_same_text_with_the_same_strategy(opened: Page) -> None:
    choose(opened, "Greedy")
    decode(opened, "hola")
    choose_checkpoint(opened, "spa-eng-lstm")
    expect(source(opened)).to_have_value("hola")
    expect(opened.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")
    assert len(hypotheses(opened)) == 1  # greedy search has one
    before = results(opened)
    opened.get_by_role("button", name="Next checkpoint").click()
    wait_for_result(opened, before)
    expect(opened.locator("#checkpoint input")).to_have_value("spa-eng-transformer")
    expect(source(opened)).to_have_value("hola")


def test_another_checkpoint_of_another_kind_brings_its_example_and_keeps_the_text(opened: Page) -> None:
    summary = str(opened.locator("#checkpoint-summary").text_content())
    source(opened).fill("mine")
    choose_checkpoint(opened, REVERSE)
    assert source(opened).input_value() != "mine"
    open_chip(opened, "results")
    earlier = opened.locator("#results .rs-result", has_text="mine")
    before = results(opened)
    earlier.click()
    wait_for_result(opened, before)
    expect(source(opened)).to_have_value("mine")
    expect(opened.locator("#checkpoint input")).to_have_value("spa-eng-gru")
    choose_checkpoint(opened, REVERSE)
    expect(opened.locator("#checkpoint-summary")).not_to_have_text(summary)
    assert decode(opened, "abcdef")[0].find("fedcba") >= 0


def test_passing_through_the_picker_changes_nothing(opened: Page) -> None:
    source(opened).fill("hola")
    before = results(opened)
    open_chip(opened, "checkpoint")
    opened.locator("#checkpoint input").focus()
    options = opened.locator("#checkpoint").get_by_role("option")
    expect(options.first).to_be_visible()
    opened.keyboard.press("Tab")
    expect(options).to_have_count(0)
    decode(opened, "buenos días")
    assert results(opened) == before + 1
    assert source(opened).input_value() == "buenos días"


def test_the_keyboard_alone_suffices(opened: Page) -> None:
    def tab_to(selector: str) -> None:
        for _ in range(60):
            opened.keyboard.press("Tab")
            if opened.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        pytest.fail(f"Tab never reaches {selector}")

    before = results(opened)
    tab_to("#source textarea")
    opened.keyboard.press("Control+A")
    opened.keyboard.type("hola")
    tab_to("#examples-chip .chip-button")
    opened.keyboard.press("Enter")
    tab_to(".st-chip")
    opened.keyboard.press("ArrowRight")
    expect(opened.locator("#source-tokens .st-detail")).to_contain_text("id ")
    tab_to("#strategy-chip .chip-button")
    opened.keyboard.press("Enter")
    tab_to("#run")
    opened.keyboard.press("Enter")
    wait_for_result(opened, before)
    tab_to("#strategy-card input[value=beam]")
    opened.keyboard.press("ArrowLeft")
    expect(opened.get_by_label("Greedy", exact=True)).to_be_checked()
    wait_for_result(opened, before + 1)
    assert len(hypotheses(opened)) == 1
    tab_to("#strategy-card input[type=number]")
    opened.keyboard.press("Control+Enter")
    wait_for_result(opened, before + 2)
