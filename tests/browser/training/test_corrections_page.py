"""A visitor's corrections, from teaching to the use of the new checkpoint and its removal."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import serious_violations
from tests.browser.compare_page import wait_for_comparison
from tests.browser.decode_page import open_chip, results, source, title_of, wait_for_result
from tests.browser.training_page import RUN, open_tab, remove, section, setting, wait_for_state, watch

TAUGHT = (("hola", "Hello."), ("adiós", "Goodbye."), ("buenas", "Hi there."))


def teach(page: Page) -> None:
    """Correct the default checkpoint three times."""
    open_chip(page, "share")
    page.locator("#teach").get_by_role("button", name="Teach this: put").click()
    for text, correction in TAUGHT:
        before = results(page)
        source(page).fill(text)
        page.locator("#run").click()
        wait_for_result(page, before)
        open_chip(page, "share")  # a run closes it
        page.locator("#teach-text textarea, #teach-text input").fill(correction)
        page.locator("#teach-button").click()
        expect(page.locator("#teach-text textarea, #teach-text input")).to_have_value("")
    expect(page.locator("#teach-said")).to_contain_text("3 corrections kept")


def fine_tune(page: Page) -> str:
    """View the corrections and train on them; return the secret name of the new checkpoint."""
    open_tab(page)
    page.locator("#train-kind").get_by_label("My corrections").check(force=True)
    rows = [re.compile(f"{text}.*{correction}") for text, correction in reversed(TAUGHT)]
    expect(page.locator("#train-corrections tbody tr")).to_have_text(rows)
    expect(page.locator("#train-start input")).to_have_value(title_of("spa-eng-gru"))
    page.locator("#train-look").click()
    preview = page.locator("#train-preview .dp")
    expect(preview.locator(".dp-description")).to_contain_text("3 sentences that you corrected")
    expect(preview).to_have_attribute("data-stale", "false")
    section(page, "Run")
    setting(page, "epochs").fill("2")
    expect(preview).to_have_attribute("data-stale", "true")
    page.locator("#train-begin").click()
    wait_for_state(page, "finished")
    expect(preview).to_have_attribute("data-stale", "false")
    return page.locator(RUN).get_attribute("data-run") or ""


def compare_with_the_original(page: Page, run: str) -> None:
    """The comparison starts at once, with the values of the form."""
    expect(page.locator(".rv-taught tbody tr")).to_have_count(2)  # one judges
    taught = page.locator(".rv-taught tbody tr td:first-child").all_text_contents()
    page.locator("#run-compare").click()
    wait_for_comparison(page, 0)
    view = page.locator("#comparison .compare")
    expect(view).to_have_attribute("data-kind", "pair")
    expect(page.locator("#compare-mode input:checked")).to_have_value("checkpoints")
    text = page.locator("#compare-text textarea").input_value()
    assert text in {*taught, TAUGHT[-1][0]}
    sides = json.loads(view.get_attribute("data-request") or "")["sides"]
    compared = [(side["checkpoint"], side["text"]) for side in sides]
    assert compared == [("spa-eng-gru", text), (run, text)]


def reload_with_it(page: Page, run: str) -> None:
    """The checkpoint and the sentence survive a reload, and the address does not contain the secret."""
    open_tab(page)
    before = results(page)
    page.locator("#run-open").click()
    wait_for_result(page, before)
    before = results(page)
    source(page).fill("hola")
    page.locator("#run").click()
    wait_for_result(page, before)
    assert run not in page.url
    page.reload()
    expect(page.locator("#checkpoint input")).to_have_value(re.compile("on corrections"))
    expect(source(page)).to_have_value("hola")


def remove_it(page: Page) -> None:
    """A double click does not delete, nor does a click after Escape."""
    open_tab(page)
    watch(page)
    wait_for_state(page, "finished")
    page.locator("#run-remove").dblclick()
    assert serious_violations(page) == []
    page.keyboard.press("Escape")
    expect(page.locator(".asks-first")).to_have_count(0)
    page.locator("#run-remove").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".asks-first .asks-keep")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#run-remove")).to_be_focused()
    expect(page.locator(RUN)).to_have_attribute("data-state", "finished")
    remove(page)
    expect(page.locator("#training-run .rv-empty")).to_be_visible()
    expect(page.locator("#training-mode input:checked")).to_be_focused()


@pytest.mark.full
def test_a_correction_is_taught_trained_on_compared_kept_and_removed(app_page: Page) -> None:
    teach(app_page)
    run = fine_tune(app_page)
    compare_with_the_original(app_page, run)
    reload_with_it(app_page, run)
    remove_it(app_page)
