"""An impatient reader: the page shows the latest request or view, in whatever order the answers arrive."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from demo.service.decoding import running
from tests.browser.decode_page import (
    REVERSE,
    choose,
    decode,
    open_chip,
    results,
    source,
    visit,
    wait_for_result,
)
from tests.fakes.paused_search import LONG, PausedWatch

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
SETTLE = 500  # milliseconds in which an answer that was held back could change the page


def ask(page: Page, text: str) -> None:
    source(page).fill(text)
    source(page).press("Enter")


def reopen(page: Page, text: str) -> None:
    open_chip(page, "results")
    page.locator("#results .rs-result", has_text=text).click()


def let_go(page: Page) -> None:
    page.wait_for_function("window.held !== null")
    page.evaluate("held()")
    page.wait_for_timeout(SETTLE)


def agrees(page: Page, text: str, output: str, checkpoint: str = "spa-eng-gru") -> None:
    """Expect the controls, the result and the address to agree."""
    expect(page.locator("#run")).to_have_attribute("aria-busy", "false")
    expect(source(page)).to_have_value(text)
    expect(page.locator("#checkpoint input")).to_have_value(checkpoint)
    expect(page.locator(OUTPUT).first).to_have_text(output)
    page.wait_for_function("text => new URLSearchParams(location.search).get('text') === text", arg=text)
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")


def test_a_late_answer_does_not_replace_an_earlier_result(app_page: Page) -> None:
    for text in ("Tengo un perro.", "Me gusta la música."):
        decode(app_page, text)
    app_page.evaluate(HOLD, "decode_at_once")
    ask(app_page, "Tom se fue.")
    app_page.wait_for_function("window.held !== null")
    reopen(app_page, "Tengo un perro.")
    let_go(app_page)
    agrees(app_page, "Tengo un perro.", "I have a dog.")
    app_page.evaluate(HOLD, "decode_at_once")
    ask(app_page, "Tom se fue.")
    app_page.wait_for_function("window.held !== null")
    app_page.go_back()
    expect(source(app_page)).to_have_value("Me gusta la música.")
    let_go(app_page)
    agrees(app_page, "Me gusta la música.", "I like music.")


@pytest.mark.full
def test_a_long_search_does_not_replace_an_earlier_result_before_its_end(
    page: Page, inner_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "Watch", PausedWatch)
    visit(page, inner_url)
    for text in ("Tengo un perro.", "Me gusta la música."):
        decode(page, text)
    before = results(page)
    source(page).fill(LONG)
    choose(page, "Exact", decodes=False)  # it does, but not to an end
    expect(page.locator("#progress")).to_contain_text("asked about")
    reopen(page, "Tengo un perro.")
    agrees(page, "Tengo un perro.", "I have a dog.")
    expect(page.locator("#progress")).to_have_text("")
    wait_for_result(page, before)
    page.wait_for_timeout(SETTLE)
    assert results(page) == before + 1


def test_a_late_answer_does_not_replace_the_example_of_another_checkpoint(app_page: Page) -> None:
    app_page.evaluate(HOLD, "decode_at_once")
    ask(app_page, "Tom se fue.")
    app_page.wait_for_function("window.held !== null")
    before = results(app_page)
    open_chip(app_page, "checkpoint")
    app_page.locator("#checkpoint input").click()
    app_page.get_by_role("option", name=REVERSE).click()
    wait_for_result(app_page, before)
    let_go(app_page)
    agrees(app_page, "unrolled", "dellornu", REVERSE)


def test_the_controls_show_the_last_of_two_opened_results(app_page: Page) -> None:
    for text in ("Tengo un perro.", "Me gusta la música.", "Tom se fue."):
        decode(app_page, text)
    app_page.evaluate(HOLD, '"settings"')
    reopen(app_page, "Tengo un perro.")
    reopen(app_page, "Me gusta la música.")
    expect(app_page.locator(OUTPUT).first).to_have_text("I like music.")
    let_go(app_page)
    agrees(app_page, "Me gusta la música.", "I like music.")


def test_an_answer_is_marked_as_outdated_if_the_text_changed_meanwhile(app_page: Page) -> None:
    # A busy server hands a new decoding to the queue, which decodes the form as it is then.
    decode(app_page, "Tengo un perro.")
    decode(app_page, "Me gusta la música.")
    app_page.evaluate(HOLD, "decode_at_once")
    ask(app_page, "Tengo un perro.")
    app_page.wait_for_function("window.held !== null")
    source(app_page).press_sequentially(" Y")
    let_go(app_page)
    expect(app_page.locator(OUTPUT).first).to_have_text("I have a dog.")
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-stale", "true")
