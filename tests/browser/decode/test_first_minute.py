"""A teacher's first minute: what the Decode tab shows at first, and how a text is decoded."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.controls import seen_controls
from tests.browser.decode_page import (
    BOTTOM,
    EXAMPLE,
    chips,
    choose_example,
    hypotheses,
    open_chip,
    results,
    source,
    visit,
    wait_for_result,
)

MAX_CONTROLS = 45  # controls on a laptop's screen
ON_THE_FIRST = (
    "#source",
    "#run",
    ".tv-strip",
    ".tv-stepper",
    ".tv-next-card .tv-bars",
    ".tv-tree",
    ".tv-heatmap",
)


def test_a_teacher_decodes_in_the_first_minute(app_page: Page, subtests: pytest.Subtests) -> None:
    with subtests.test("the page opens with a decoded example"):
        assert source(app_page).input_value() == EXAMPLE
        assert chips(app_page)[-1] == "</s>"
        assert hypotheses(app_page)
        expect(app_page.get_by_role("heading", level=1)).to_have_text("Unrolled")
    with subtests.test("the first screen shows every pane"):
        see_every_pane(app_page, 1440, 900)
    with subtests.test("the first screen has few controls"):
        expect(app_page.locator("#trace .gl-term").first).to_be_visible()  # they come last
        controls = seen_controls(app_page)
        assert len(controls) <= MAX_CONTROLS, "\n".join(controls)
    with subtests.test("a chip closes at Escape and at a click elsewhere"):
        open_and_leave_a_chip(app_page)
    with subtests.test("an example decodes and its menu closes"):
        before = results(app_page)
        text = choose_example(app_page, 1)
        wait_for_result(app_page, before)
        assert source(app_page).input_value() == text
        expect(app_page.locator("#examples")).to_be_hidden()
    with subtests.test("Enter decodes, and Shift+Enter begins a new line"):
        before = results(app_page)
        source(app_page).fill("hola")
        source(app_page).press("Shift+Enter")
        assert source(app_page).input_value() == "hola\n"
        source(app_page).press("Backspace")
        source(app_page).press("Enter")
        wait_for_result(app_page, before)
        assert source(app_page).input_value() == "hola"
        assert results(app_page) == before + 1
    with subtests.test("the result is marked as outdated while the form differs"):
        differ_for_a_while(app_page)
    with subtests.test("Control+Enter and Meta+Enter decode"):
        press_control_and_meta_enter(app_page)
    with subtests.test("the source box grows to three lines"):
        one = source(app_page).evaluate("box => box.offsetHeight")
        source(app_page).fill("hola " * 60)
        expect(source(app_page)).not_to_have_css("height", f"{one}px")
        assert source(app_page).evaluate("box => box.offsetHeight") < 4 * one


@pytest.mark.full
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_other_first_screens_show_every_pane(page: Page, app_url: str, size: tuple[int, int]) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    visit(page, app_url)
    see_every_pane(page, width, height)


def see_every_pane(page: Page, width: int, height: int) -> None:
    bottoms = {selector: page.evaluate(BOTTOM, selector) for selector in ON_THE_FIRST}
    assert {selector: bottom for selector, bottom in bottoms.items() if bottom > height} == {}
    assert page.evaluate("document.documentElement.scrollWidth") == width
    panes = [pane.bounding_box() for pane in page.locator("#trace .tv-pane").all()]
    assert len({pane["y"] for pane in panes if pane}) == 1, "side by side"


def open_and_leave_a_chip(page: Page) -> None:
    summary = page.locator("#checkpoint-summary")
    for leave in (lambda: page.keyboard.press("Escape"), lambda: page.locator(".page-header h1").click()):
        open_chip(page, "checkpoint")
        expect(summary).to_be_visible()
        expect(summary).to_contain_text("BLEU")
        leave()
        expect(summary).to_be_hidden()


def differ_for_a_while(page: Page) -> None:
    view, texts = page.locator("#trace .trace-view"), hypotheses(page)
    expect(view).to_have_attribute("data-stale", "false")
    source(page).fill("adiós")
    expect(view).to_have_attribute("data-stale", "true")
    expect(view.locator(".tv-stale-note")).to_be_visible()
    assert hypotheses(page) == texts
    source(page).fill("hola")  # the form asks for the result on show
    expect(view).to_have_attribute("data-stale", "false")


def press_control_and_meta_enter(page: Page) -> None:
    """Leaving the decoded text does not mark its result as outdated."""
    view = page.locator("#trace .trace-view")
    for keys, text in (("Control+Enter", "estoy muy emocionada"), ("Meta+Enter", "buenos días")):
        before, texts = results(page), hypotheses(page)
        source(page).fill(text)
        expect(view).to_have_attribute("data-stale", "true")
        source(page).press(keys)
        wait_for_result(page, before)
        assert hypotheses(page) != texts
        page.locator("#trace .tv-out").nth(1).click()
        expect(view).to_have_attribute("data-step", "1")
        expect(view).to_have_attribute("data-stale", "false")
