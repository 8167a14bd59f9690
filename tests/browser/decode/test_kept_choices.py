"""The choices of a reader while an answer is under way stay, and form, result and address agree."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.compare_page import visit_comparison
from tests.browser.decode.test_impatience import HOLD, agrees, ask, reopen
from tests.browser.decode_page import (
    REVERSE,
    choose,
    decode,
    open_chip,
    open_rail,
    results,
    source,
    wait_for_result,
)

ENGLISH = "eng-spa-transformer"
CHOICE = f'["{ENGLISH}","spa-eng-gru"'  # the question after the choice of this checkpoint


# Types into a field between the reading of the form for an answer and the writing of its values.
TYPE_MEANWHILE = """box => {
  const fillIn = unrolled.fillIn;
  window.filled = false;
  unrolled.fillIn = (...answer) => {
    const values = fillIn(...answer);
    box.value = "first";
    box.dispatchEvent(new Event("input", { bubbles: true }));
    setTimeout(() => (window.filled = true), 500);
    return values;
  };
}"""


def hold(page: Page, part: str, act: Callable[[], None]) -> None:
    """Start a request whose answer is held back until `let_go`."""
    page.evaluate(HOLD, part)
    act()
    page.wait_for_function("window.held !== null")
    page.keyboard.press("Escape")


def let_go(page: Page) -> None:
    page.evaluate("held()")


def choose_checkpoint(page: Page, name: str) -> None:
    open_chip(page, "checkpoint")
    page.locator("#checkpoint input").click()
    page.get_by_role("option", name=name, exact=True).click()


def click_strategy(page: Page, name: str) -> None:
    open_rail(page)
    page.locator(f"#strategy input[value={name}]").click(force=True)


def agree_on_strategy(page: Page, name: str, label: str) -> None:
    expect(page.locator(f"#strategy input[value={name}]")).to_be_checked()
    expect(page.locator("#strategy-chip .chip-value")).to_have_text(label)
    page.wait_for_function("name => new URLSearchParams(location.search).get('strategy') === name", arg=name)
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")


def test_a_strategy_clicked_while_a_result_reopens_decodes_its_sentence(app_page: Page) -> None:
    for text in ("Tengo un perro.", "Me gusta la música."):
        decode(app_page, text)
    hold(app_page, '"settings"', lambda: reopen(app_page, "Tengo un perro."))
    click_strategy(app_page, "greedy")
    let_go(app_page)
    agree_on_strategy(app_page, "greedy", "Greedy")
    agrees(app_page, "Tengo un perro.", "I have a dog.")


@pytest.mark.parametrize("milliseconds", [0, 30, 60, 120])
def test_a_strategy_clicked_while_a_sentence_is_decoded_is_the_one_decoded(
    app_page: Page, milliseconds: int
) -> None:
    hold(app_page, "decode_at_once", lambda: ask(app_page, "Tengo un perro."))
    app_page.wait_for_timeout(milliseconds)
    click_strategy(app_page, "greedy")
    let_go(app_page)
    agree_on_strategy(app_page, "greedy", "Greedy")
    agrees(app_page, "Tengo un perro.", "I have a dog.")


def test_a_strategy_clicked_while_a_checkpoint_is_chosen_decodes_with_both(app_page: Page) -> None:
    before = results(app_page)
    hold(app_page, CHOICE, lambda: choose_checkpoint(app_page, ENGLISH))
    click_strategy(app_page, "greedy")
    let_go(app_page)
    wait_for_result(app_page, before)
    agree_on_strategy(app_page, "greedy", "Greedy")
    agrees(app_page, "Where is the library?", "¿Dónde está la biblioteca?", ENGLISH)


def test_a_text_typed_while_a_checkpoint_is_chosen_stays(app_page: Page) -> None:
    before = results(app_page)
    hold(app_page, CHOICE, lambda: choose_checkpoint(app_page, ENGLISH))
    source(app_page).fill("I like tea.")
    let_go(app_page)
    wait_for_result(app_page, before)
    agrees(app_page, "I like tea.", "Me gusta el té.", ENGLISH)


def test_the_last_of_two_chosen_checkpoints_stays(app_page: Page) -> None:
    before = results(app_page)
    hold(app_page, CHOICE, lambda: choose_checkpoint(app_page, ENGLISH))
    choose_checkpoint(app_page, REVERSE)
    let_go(app_page)
    wait_for_result(app_page, before)
    agrees(app_page, "unrolled", "dellornu", REVERSE)


def test_a_checkpoint_chosen_while_a_neighbour_is_looked_up_stays(app_page: Page) -> None:
    before = results(app_page)
    app_page.evaluate(HOLD, '"data":["spa-eng-gru","')
    app_page.locator("#checkpoint-neighbours .next").click()
    app_page.wait_for_function("window.held !== null")
    choose_checkpoint(app_page, REVERSE)
    wait_for_result(app_page, before)
    let_go(app_page)
    agrees(app_page, "unrolled", "dellornu", REVERSE)


def test_a_strategy_clicked_before_a_link_is_read_stays(page: Page, app_url: str) -> None:
    delayed: list[Route] = []

    def wait(route: Route) -> None:
        body = str(route.request.post_data)
        if delayed or not body.startswith('{"data":[1,') or "session_hash" not in body:
            route.continue_()
        else:
            delayed.append(route)

    page.route("**/run/predict*", wait)
    page.goto(f"{app_url}?text=Tengo un perro.&strategy=exact")
    page.locator("#strategy-chip .chip-button").click()
    page.locator("#strategy input[value=greedy]").click(force=True)
    expect(page.locator("#strategy-chip .chip-value")).to_have_text("Greedy")
    assert delayed
    delayed[0].continue_()
    agrees(page, "Tengo un perro.", "I have a dog.")
    agree_on_strategy(page, "greedy", "Greedy")


@pytest.mark.full
def test_a_reference_typed_while_an_example_is_fetched_stays(page: Page, app_url: str) -> None:
    visit_comparison(page, app_url)
    example = page.locator("#compare-examples .example").nth(1)
    text = example.inner_text()
    hold(page, '"data":["spa-eng-gru",', example.click)
    reference = page.locator("#compare-reference textarea")
    reference.fill("mine")
    let_go(page)
    expect(page.locator("#compare-text textarea")).to_have_value(text)
    expect(reference).to_have_value("mine")


def test_a_word_typed_while_an_answer_is_written_into_the_form_stays(app_page: Page) -> None:
    decode(app_page, "Tengo un perro.")
    choose(app_page, "Greedy")
    source(app_page).evaluate(TYPE_MEANWHILE)
    app_page.go_back()
    app_page.wait_for_function("window.filled")
    expect(app_page.get_by_label("Beam search")).to_be_checked()
    expect(source(app_page)).to_have_value("first")
