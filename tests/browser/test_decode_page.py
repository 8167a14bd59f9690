"""Journeys through the Decode tab of the real app, with the shipped checkpoints."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.decode_page import (
    EXAMPLE,
    REVERSE,
    chips,
    choose_checkpoint,
    decode,
    hypotheses,
    results,
    source,
    wait_for_result,
)


def test_the_first_paint_shows_a_decoded_example(opened: Page) -> None:
    assert source(opened).input_value() == EXAMPLE
    assert chips(opened)[-1] == "</s>"
    assert hypotheses(opened)
    expect(opened.get_by_role("heading", level=1)).to_have_text("Unrolled")
    expect(opened.locator("#checkpoint-summary")).to_contain_text("BLEU")
    expect(opened.locator("#examples button:visible")).not_to_have_count(0)


@pytest.mark.parametrize("keys", ["Control+Enter", "Meta+Enter"])
def test_typing_and_a_key_decode(opened: Page, keys: str) -> None:
    before, shown = results(opened), hypotheses(opened)
    source(opened).fill("estoy muy emocionada")
    source(opened).press(keys)
    wait_for_result(opened, before)
    assert hypotheses(opened) != shown


def test_tokens_follow_what_is_typed(opened: Page) -> None:
    source(opened).fill("")
    expect(opened.locator("#source-tokens .st-chip")).to_have_count(0)
    source(opened).press_sequentially("la casa", delay=20)
    expect(opened.locator("#source-tokens .st-chip").last).to_have_text("</s>")
    expect(opened.locator("#source-tokens .st-chip").first).to_contain_text("la")
    opened.locator("#source-tokens .st-chip").first.hover()
    expect(opened.locator("#source-tokens .st-detail")).to_contain_text("id ")


def test_unknown_characters_are_named_and_marked(opened: Page) -> None:
    source(opened).fill("hola 🙂")
    expect(opened.locator("#source-tokens .st-note")).to_contain_text("🙂")
    assert opened.locator("#source-tokens .st-unknown").get_attribute("aria-label").endswith("vocabulary")


def test_a_strategy_shows_only_the_controls_that_apply(opened: Page) -> None:
    labels = {
        "Greedy": {"Maximum length"},
        "Beam search": {"Maximum length", "Beam size", "Length penalty α", "Length normaliser"},
        "Sampling": {"Maximum length", "Samples", "Temperature", "Top-k", "Top-p", "Seed"},
    }
    for strategy, shown in labels.items():
        opened.get_by_label(strategy, exact=True).check(force=True)
        for label in set.union(*labels.values()):
            expect(opened.locator(".settings").get_by_text(label, exact=True)).to_be_visible(
                visible=label in shown
            )


def test_every_strategy_decodes(opened: Page) -> None:
    for strategy, count in (("Sampling", 4), ("Greedy", 1), ("Beam search", 4)):
        opened.get_by_label(strategy, exact=True).check(force=True)
        before = results(opened)
        opened.locator("#run").click()
        wait_for_result(opened, before)
        assert len(hypotheses(opened)) == count


def test_an_old_result_stays_and_is_marked_until_the_new_one_is_there(opened: Page) -> None:
    view = opened.locator("#trace .trace-view")
    shown = hypotheses(opened)
    expect(view).to_have_attribute("data-stale", "false")
    opened.get_by_label("Greedy", exact=True).check(force=True)
    expect(view).to_have_attribute("data-stale", "true")
    assert hypotheses(opened) == shown
    opened.get_by_label("Beam search", exact=True).check(force=True)
    opened.locator("#run").click()  # the same again
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


def test_an_example_decodes_at_one_click(opened: Page) -> None:
    before, example = results(opened), opened.locator("#examples button").nth(1)
    text = example.inner_text()
    example.click()
    wait_for_result(opened, before)
    assert source(opened).input_value() == text


def test_another_checkpoint_brings_its_example_and_card(opened: Page) -> None:
    summary = opened.locator("#checkpoint-summary").inner_text()
    choose_checkpoint(opened, REVERSE)
    assert source(opened).input_value() != EXAMPLE
    expect(opened.locator("#checkpoint-summary")).not_to_have_text(summary)
    assert decode(opened, "abcdef")[0].find("fedcba") >= 0


def test_passing_through_the_picker_changes_nothing(opened: Page) -> None:
    source(opened).fill("hola")
    before = results(opened)
    opened.locator("#checkpoint input").focus()
    opened.keyboard.press("Tab")
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
    tab_to(".st-chip")
    opened.keyboard.press("ArrowRight")
    expect(opened.locator("#source-tokens .st-detail")).to_contain_text("id ")
    tab_to("#run")
    opened.keyboard.press("Enter")
    wait_for_result(opened, before)
    tab_to("#strategy-card input[value=beam]")
    opened.keyboard.press("ArrowLeft")
    expect(opened.get_by_label("Greedy", exact=True)).to_be_checked()
    tab_to("#strategy-card input[type=number]")
    opened.keyboard.press("Control+Enter")
    wait_for_result(opened, before + 1)
    assert len(hypotheses(opened)) == 1
