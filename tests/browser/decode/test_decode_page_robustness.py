"""The Decode tab under hostile texts, several visitors, small screens and an accessibility audit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from models.decoding.strategies import description_of, names
from tests.browser.accessibility import serious_violations
from tests.browser.decode_page import (
    REVERSE,
    choose,
    choose_checkpoint,
    decode,
    hypotheses,
    open_rail,
    results,
    source,
    visit,
    wait_for_result,
)
from tests.grids import full_only

SETTLED = "!document.getAnimations().some((each) => each instanceof CSSTransition)"
HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)>",
    "</s> ${alert(1)} {{constructor.constructor('alert(1)')()}}",
    "🙂🙃 مرحبا بالعالم",
)


def test_text_is_shown_as_text(app_page: Page) -> None:
    """Hostile texts open no dialog, which would fail the test."""
    for text in HOSTILE:
        decode(app_page, text)
        assert source(app_page).input_value() == text
        assert app_page.locator("#source-tokens :is(script, img), #trace :is(script, img)").count() == 0, text
    app_page.reload()
    wait_for_result(app_page, 0)


def test_a_text_that_cannot_be_decoded_is_refused(app_page: Page) -> None:
    texts = hypotheses(app_page)
    for text, sentence in (("  ", "There is no text"), ("x" * 10_000, "the limit is 500")):
        source(app_page).fill(text)
        source(app_page).press("Control+Enter")
        expect(app_page.locator(".toast-body", has_text=sentence)).to_be_visible()
        expect(app_page.locator("#run")).to_have_attribute("aria-busy", "false")
        assert hypotheses(app_page) == texts


@pytest.mark.full
def test_visitors_with_different_checkpoints_do_not_mix(visitors: Callable[[], Page]) -> None:
    first, second = visitors(), visitors()
    choose_checkpoint(second, REVERSE)
    alone = [decode(first, "casa"), decode(second, "casa")]
    for page in (first, second):  # now both at once
        source(page).fill("hola")
        source(page).press("Control+Enter")
    before = [results(first), results(second)]
    for page in (first, second):
        source(page).fill("casa")
        source(page).press("Control+Enter")
    for page, count in zip((first, second), before, strict=True):
        wait_for_result(page, count)
    assert "asac" in alone[1][0]
    assert "asac" not in alone[0][0]
    assert "asac" not in "".join(hypotheses(first))


@pytest.mark.full
def test_the_server_continues_after_a_page_closes_during_a_run(
    app_page: Page, visitors: Callable[[], Page], app_log: Path
) -> None:
    leaving = visitors()
    source(leaving).fill("me gustaría aprender a tocar la guitarra " * 10)
    source(leaving).press("Control+Enter")
    leaving.close()
    assert decode(app_page, "hola")
    assert "Traceback" not in app_log.read_text(encoding="utf-8", errors="replace")


@pytest.mark.full
@pytest.mark.parametrize("width", [1440, *full_only([390])])
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
            page.get_by_role("button", name="Switch between light and dark").click()
            page.wait_for_function(SETTLED)  # colours change by and by
            assert ("dark" in str(page.locator("body").get_attribute("class"))) is (scheme == "dark")
            assert f"__theme={scheme}" in page.url


def test_a_phone_scrolls_in_one_direction_only(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, app_url)
    open_rail(page)
    page.locator("#constraints button").first.click()
    for strategy in names():
        choose(page, description_of(strategy).label, decodes=strategy != "exhaustive")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
