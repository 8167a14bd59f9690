"""An impatient reader: the latest choice stays, in any order of answers, and the page agrees with it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from demo.work import running
from tests.browser.compare_page import visit_comparison
from tests.browser.decode_page import (
    REVERSE,
    SPANISH,
    choose,
    decode,
    open_chip,
    open_rail,
    results,
    source,
    title_of,
    visit,
    wait_for_result,
)
from tests.fakes.paused_search import LONG, PausedWatch

ENGLISH = "eng-spa-transformer"
DOG, MUSIC, TOM = "Tengo un perro.", "Me gusta la música.", "Tom se fue."
OUTPUT = "#trace .tv-hypothesis .tv-text"
# Holds back the next answer to a request that contains `part`, until `held()` is called.
HOLD = """part => {
  const { fetch } = window;
  window.held = null;
  window.fetch = async (...request) => {
    const isHeld = String(request[1]?.body).includes(part);
    if (isHeld) window.fetch = fetch;
    const answer = await fetch(...request);
    if (isHeld) await new Promise((letGo) => { window.held = letGo; });
    return answer;
  };
}"""
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
# A result of the earlier text is marked; the queue of a busy server reads the later text.
MARKED_RIGHT = """() => {
  const view = document.querySelector("#trace .trace-view");
  const isLater = [...view.querySelectorAll(".tv-src")].some((token) => token.textContent.includes("Y"));
  return (view.dataset.stale === "true") !== isLater;
}"""
SETTLE = 500  # milliseconds in which an answer that was held back could change the page


def test_a_reader_does_not_wait_for_a_sentence(app_page: Page, subtests: pytest.Subtests) -> None:
    for text in (DOG, MUSIC):
        decode(app_page, text)
    with subtests.test("a late answer replaces neither a reopened result nor the one before"):
        reopen_and_go_back(app_page)
    with subtests.test("the controls show the last of two opened results"):
        decode(app_page, TOM)
        hold(app_page, '"settings"', lambda: reopen(app_page, DOG))
        reopen(app_page, MUSIC)
        expect(app_page.locator(OUTPUT).first).to_have_text("I like music.")
        let_go(app_page)
        agrees(app_page, MUSIC, "I like music.")
    with subtests.test("an answer is marked as outdated if the text changed meanwhile"):
        hold(app_page, "begin_decoding", lambda: ask(app_page, DOG))
        source(app_page).press_sequentially(" Y")
        let_go(app_page)
        expect(app_page.locator(OUTPUT).first).to_have_text("I have a dog.")
        app_page.wait_for_function(MARKED_RIGHT)
    with subtests.test("a strategy clicked while a result reopens decodes its sentence"):
        hold(app_page, '"settings"', lambda: reopen(app_page, MUSIC))
        click_strategy(app_page, "greedy")
        let_go(app_page)
        agree_on_strategy(app_page, "greedy", "Greedy")
        agrees(app_page, MUSIC, "I like music.")
    for milliseconds, text, output in ((0, "Tengo un gato.", "I have a cat."), (120, DOG, "I have a dog.")):
        with subtests.test("a strategy clicked during a decoding is decoded", milliseconds=milliseconds):
            choose(app_page, "Beam search")
            hold(app_page, "begin_decoding", lambda text=text: ask(app_page, text))
            app_page.wait_for_timeout(milliseconds)
            click_strategy(app_page, "greedy")
            let_go(app_page)
            agree_on_strategy(app_page, "greedy", "Greedy")
            agrees(app_page, text, output)
    with subtests.test("a word typed while an answer is written into the form stays"):
        for strategy in ("Beam search", "Greedy"):
            choose(app_page, strategy)
        source(app_page).evaluate(TYPE_MEANWHILE)
        app_page.go_back()
        app_page.wait_for_function("window.filled")
        expect(app_page.get_by_label("Beam search")).to_be_checked()
        expect(source(app_page)).to_have_value("first")


def test_a_reader_does_not_wait_for_a_checkpoint(app_page: Page, subtests: pytest.Subtests) -> None:
    with subtests.test("a late answer does not replace the example of another checkpoint"):
        hold(app_page, "begin_decoding", lambda: ask(app_page, TOM))
        before = results(app_page)
        choose_checkpoint(app_page, REVERSE)
        wait_for_result(app_page, before)
        let_go(app_page)
        agrees(app_page, "unrolled", "dellornu", REVERSE)
    with subtests.test("a text typed while a checkpoint is chosen stays"):
        before = results(app_page)
        hold_choice(app_page, ENGLISH, REVERSE)
        source(app_page).fill("I like tea.")
        let_go(app_page)
        wait_for_result(app_page, before)
        agrees(app_page, "I like tea.", "Me gusta el té.", ENGLISH)
    with subtests.test("the last of two chosen checkpoints stays"):
        before = results(app_page)
        hold_choice(app_page, SPANISH, ENGLISH)
        choose_checkpoint(app_page, REVERSE)
        let_go(app_page)
        wait_for_result(app_page, before)
        agrees(app_page, "unrolled", "dellornu", REVERSE)
    with subtests.test("a strategy clicked while a checkpoint is chosen decodes with both"):
        before = results(app_page)
        hold_choice(app_page, ENGLISH, REVERSE)
        click_strategy(app_page, "greedy")
        let_go(app_page)
        wait_for_result(app_page, before)
        agree_on_strategy(app_page, "greedy", "Greedy")
        agrees(app_page, "Where is the library?", "¿Dónde está la biblioteca?", ENGLISH)
    with subtests.test("a checkpoint chosen while a neighbour is looked up stays"):
        before = results(app_page)
        open_chip(app_page, "checkpoint")
        hold(app_page, f'"data":["{ENGLISH}","', app_page.locator("#checkpoint-neighbours .next").click)
        choose_checkpoint(app_page, REVERSE)
        wait_for_result(app_page, before)
        let_go(app_page)
        agrees(app_page, "unrolled", "dellornu", REVERSE)


@pytest.mark.full
def test_a_long_search_does_not_replace_an_earlier_result_before_its_end(
    page: Page, inner_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "Watch", PausedWatch)
    visit(page, inner_url)
    for text in (DOG, MUSIC):
        decode(page, text)
    before = results(page)
    source(page).fill(LONG)
    choose(page, "Exact", decodes=False)  # it does, but not to an end
    expect(page.locator("#progress")).to_contain_text("has scored")
    reopen(page, DOG)
    agrees(page, DOG, "I have a dog.")
    expect(page.locator("#progress")).to_have_text("")
    wait_for_result(page, before)
    page.wait_for_timeout(SETTLE)
    assert results(page) == before + 1


def test_a_strategy_clicked_before_a_link_is_read_stays(page: Page, app_url: str) -> None:
    delayed: list[Route] = []

    def wait(route: Route) -> None:
        body = str(route.request.post_data)
        if delayed or not body.startswith('{"data":[1,') or "session_hash" not in body:
            route.continue_()
        else:
            delayed.append(route)

    page.route("**/run/predict*", wait)
    page.goto(f"{app_url}?text={DOG}&strategy=exact")
    page.locator("#strategy-chip .chip-button").click()
    page.locator("#strategy input[value=greedy]").click(force=True)
    expect(page.locator("#strategy-chip .chip-value")).to_have_text("Greedy")
    assert delayed
    delayed[0].continue_()
    agrees(page, DOG, "I have a dog.")
    agree_on_strategy(page, "greedy", "Greedy")


@pytest.mark.full
def test_a_reference_typed_while_an_example_is_fetched_stays(page: Page, app_url: str) -> None:
    visit_comparison(page, app_url)
    example = page.locator("#compare-examples .example").nth(1)
    text = example.inner_text()
    hold(page, f'"data":["{SPANISH}",', example.click)
    reference = page.locator("#compare-reference textarea")
    reference.fill("mine")
    let_go(page)
    expect(page.locator("#compare-text textarea")).to_have_value(text)
    expect(reference).to_have_value("mine")


def reopen_and_go_back(page: Page) -> None:
    hold(page, "begin_decoding", lambda: ask(page, TOM))
    reopen(page, DOG)
    let_go(page)
    agrees(page, DOG, "I have a dog.")
    hold(page, "begin_decoding", lambda: ask(page, TOM))
    page.go_back()
    expect(source(page)).to_have_value(MUSIC)
    let_go(page)
    agrees(page, MUSIC, "I like music.")


def hold(page: Page, part: str, act: Callable[[], None]) -> None:
    """Start a request whose answer is held back until `let_go`."""
    page.evaluate(HOLD, part)
    act()
    page.wait_for_function("window.held !== null")


def hold_choice(page: Page, checkpoint: str, before: str) -> None:
    """Hold back the answer to the choice of a checkpoint after another one."""
    hold(page, f'["{checkpoint}","{before}"', lambda: choose_checkpoint(page, checkpoint))
    page.keyboard.press("Escape")


def let_go(page: Page) -> None:
    page.evaluate("held()")
    page.wait_for_timeout(SETTLE)


def ask(page: Page, text: str) -> None:
    source(page).fill(text)
    source(page).press("Enter")


def reopen(page: Page, text: str) -> None:
    open_chip(page, "results")
    page.locator("#results .rs-result", has_text=text).click()


def choose_checkpoint(page: Page, name: str) -> None:
    open_chip(page, "checkpoint")
    page.locator("#checkpoint input").click()
    page.get_by_role("option", name=title_of(name)).click()


def click_strategy(page: Page, name: str) -> None:
    open_rail(page)
    page.locator(f"#strategy input[value={name}]").click(force=True)


def agrees(page: Page, text: str, output: str, checkpoint: str = SPANISH) -> None:
    """Expect the controls, the result and the address to agree."""
    expect(page.locator("#run")).to_have_attribute("aria-busy", "false")
    expect(source(page)).to_have_value(text)
    expect(page.locator("#checkpoint input")).to_have_value(title_of(checkpoint))
    expect(page.locator(OUTPUT).first).to_have_text(output)
    page.wait_for_function("text => new URLSearchParams(location.search).get('text') === text", arg=text)
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")


def agree_on_strategy(page: Page, name: str, label: str) -> None:
    expect(page.locator(f"#strategy input[value={name}]")).to_be_checked()
    expect(page.locator("#strategy-chip .chip-value")).to_have_text(label)
    page.wait_for_function("name => new URLSearchParams(location.search).get('strategy') === name", arg=name)
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")
