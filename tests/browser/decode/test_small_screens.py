"""The Decode tab on a phone and a tablet, and the longest texts on screens of every size."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from models.decoding.strategies import description_of, names
from tests.browser.controls import seen_controls
from tests.browser.cut_text import cut_texts, half_rows, scrollers
from tests.browser.decode_page import (
    BOTTOM,
    change,
    choose,
    choose_checkpoint,
    decode,
    hypotheses,
    open_rail,
    open_tab,
    results,
    show_pane,
    stamp,
    visit,
    wait_for_result,
)

PHONE: ViewportSize = {"width": 390, "height": 844}
TABLET: ViewportSize = {"width": 768, "height": 1024}
MAX_CONTROLS = 25  # on a phone's first screen
SIZES = [(1440, 900), (1280, 720), (768, 1024), (720, 450), (390, 844)]  # 720 x 450: twice as large as usual
LONG = (
    "ayer por la tarde mi hermana y su amiga quisieron comprar una casa grande y muy cara cerca del mar "
    "porque este verano va a hacer mucho calor en la ciudad y todos nuestros vecinos se van"
)
# Tabs that a mouse cannot reach, since they lie beyond their pane or below its buttons.
OUT_OF_REACH = """() => [...document.querySelectorAll("#trace [role=tab]")].filter((tab) => {
  const box = tab.getBoundingClientRect();
  const around = tab.parentElement.getBoundingClientRect();
  return box.width && (box.right > around.right + 1 || box.bottom > around.bottom + 1);
}).map((tab) => tab.textContent)"""
WIDTH = "document.documentElement.scrollWidth"


def test_a_pupil_decodes_a_text_and_a_picture_on_a_phone(
    page: Page, app_url: str, subtests: pytest.Subtests
) -> None:
    page.set_viewport_size(PHONE)
    visit(page, app_url)
    with subtests.test("the first screen shows output and stepper, and one pane at a time"):
        page.keyboard.press("Escape")  # closes the words of the first visit
        tops = page.locator("#command :is(.chip-button, .tools-open):visible").evaluate_all(
            "(chips) => chips.map((chip) => Math.round(chip.getBoundingClientRect().top))"
        )
        assert len(set(tops)) == 1, "the tools stand in one row"
        parts = ("#source", "#run", ".tv-result", ".tv-strip", ".tv-stepper")
        assert max(page.evaluate(BOTTOM, part) for part in parts) <= 400
        pane = page.locator("#trace .tv-pane:visible").bounding_box()
        assert pane is not None
        assert pane["y"] + pane["height"] <= PHONE["height"], "a whole view"
        expect(page.locator("#trace .gl-term").first).to_be_visible()  # they come last
        controls = seen_controls(page)
        assert len(controls) <= MAX_CONTROLS, "\n".join(controls)
        expect(page.locator("#trace .tv-score")).to_be_hidden()
        page.locator("#trace .tv-facts summary").click()
        expect(page.locator("#trace .tv-score")).to_be_visible()
        assert page.evaluate(WIDTH) == 390
        show_one_pane_at_a_time(page)
    with subtests.test("three dots unfold the other tools, and Escape folds them"):
        unfold_tools(page)
    with subtests.test("the open tab unfolds the others"):
        open_tab_of_page(page)
    with subtests.test("Why fits the screen"):
        show_pane(page.locator("#trace"), "right")
        open_tab(page, "why")
        expect(page.locator("#trace .tv-why-sentence")).to_contain_text("has")
        assert page.evaluate(WIDTH) == 390
    with subtests.test("a chip stays under the finger that opens it"):
        open_chips(page)
    with subtests.test("a decoding scrolls to the result below the open settings"):
        open_rail(page)
        expect(page.locator("#trace .tv-strip")).not_to_be_in_viewport()
        before = results(page)
        page.locator("#run").click()
        wait_for_result(page, before)
        expect(page.locator("#trace .tv-out").first).to_be_in_viewport(ratio=1)
        page.locator("#strategy-chip .chip-button").click()
    with subtests.test("the first screen shows the output of a picture"):
        choose_a_checkpoint_for_pictures(page)
    with subtests.test("the shipped captioner describes drawn shapes"):
        page.locator("#picture .pi-clear").click()
        stamp(page, "red large circle", 0.3, 0.5)
        stamp(page, "blue small square", 0.8, 0.5)
        before = results(page)
        page.locator("#run").click()
        wait_for_result(page, before)
        assert "a large red circle left of a small blue square" in hypotheses(page)[0]
        expect(page.locator("#trace .tv-picture-title")).to_contain_text("Where it looked")


def test_no_strategy_scrolls_a_phone_or_a_tablet_sideways(
    page: Page, app_url: str, subtests: pytest.Subtests
) -> None:
    page.set_viewport_size(TABLET)
    visit(page, app_url)
    with subtests.test("a tablet shows all panes"):
        expect(page.locator("#trace .tv-pane:visible")).to_have_count(3)
        assert page.evaluate(WIDTH) == 768
        open_rail(page)
        assert page.evaluate(WIDTH) == 768
    page.set_viewport_size(PHONE)
    page.locator("#constraints button").first.click()
    for strategy in names():
        with subtests.test("a phone scrolls in one direction only", strategy=strategy):
            choose(page, description_of(strategy).label, decodes=strategy != "exhaustive")
            assert page.evaluate(WIDTH) == 390


@pytest.mark.full
def test_long_texts_are_not_cut(app_page: Page) -> None:
    open_rail(app_page)
    change(app_page, "Beam size", "16")
    for text, sizes in ((LONG, SIZES), ("x" * 80, SIZES[-1:]), ("مرحبا بالعالم 图书馆在哪里", SIZES[-1:])):
        decode(app_page, text)
        for width, height in sizes:
            app_page.set_viewport_size({"width": width, "height": height})
            assert app_page.evaluate(WIDTH) == width, text
            assert cut_texts(app_page) == [], (width, text)
            assert half_rows(app_page) == [], (width, text)
            assert [scrolling for scrolling in scrollers(app_page) if len(scrolling) > 1] == [], (width, text)
            assert app_page.evaluate(OUT_OF_REACH) == [], (width, text)
    expect(app_page.locator("#trace [data-caption=doubts]")).to_contain_text("The vocabulary has no word")


def show_one_pane_at_a_time(page: Page) -> None:
    for pane, part in (
        ("left", ".tv-bars"),
        ("centre", ".tv-tree .tv-painting"),
        ("right", ".tv-heatmap .tv-painting"),
    ):
        show_pane(page.locator("#trace"), pane)
        expect(page.locator("#trace .tv-pane:visible")).to_have_count(1)
        expect(page.locator(f"#trace {part}").first).to_be_visible()


def unfold_tools(page: Page) -> None:
    for opener, tool in (
        (page.locator("#more-tools button"), page.locator("#share-chip .chip-button")),
        (page.locator(".page-header .tools-open"), page.locator(".scheme")),
    ):
        expect(tool).to_be_hidden()
        opener.click()
        expect(tool).to_be_visible()
        # After a reload a script presses Decode, perhaps after the reader's first press.
        page.evaluate("document.getElementById('run').click()")
        expect(tool).to_be_visible()
        assert page.evaluate(WIDTH) == 390
        page.keyboard.press("Escape")
        expect(tool).to_be_hidden()
        expect(opener).to_be_visible()


def open_tab_of_page(page: Page) -> None:
    for here, there in (("Decode", "Compare"), ("Compare", "Decode")):
        other = page.get_by_role("tab", name=there, exact=True)
        expect(other).to_be_hidden()
        page.get_by_role("tab", name=here, exact=True).click()
        other.click()
        expect(other).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("tab", name=here, exact=True)).to_be_hidden()


def open_chips(page: Page) -> None:
    page.locator("#more-tools button").click()
    for chip in map(page.locator, ("#checkpoint-chip", "#examples-chip")):
        button = chip.locator(".chip-button")
        before = button.bounding_box()
        button.click()
        assert button.bounding_box() == before, "it stays under the finger"
        below = chip.locator(".chip-body").bounding_box()
        assert below is not None
        assert below["x"] + below["width"] <= 390
    page.keyboard.press("Escape")


def choose_a_checkpoint_for_pictures(page: Page) -> None:
    choose_checkpoint(page, "shapes-captioner")
    page.keyboard.press("Escape")
    expect(page.locator("#checkpoint-chip .chip-button")).to_have_attribute("aria-expanded", "false")
    page.evaluate("scrollTo(0, 0)")
    box = page.locator("#trace .tv-stepper").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 844
    expect(page.locator("#picture .pi-colours")).to_be_hidden()
    page.locator("#picture .pi-tools summary").click()
    expect(page.locator("#picture .pi-colours")).to_be_visible()
    expect(page.locator("#trace [data-caption=doubts]")).to_have_text("")  # a picture has no length in words
