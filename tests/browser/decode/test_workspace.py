"""The Decode tab as one screen: its first screen, decoding by itself, and stored choices."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.decode_page import (
    choose,
    choose_example,
    open_chip,
    open_more,
    open_rail,
    open_tab,
    results,
    source,
    visit,
    wait_for_result,
)
from tests.grids import full_only

ON_THE_FIRST = (
    "#source",
    "#run",
    ".tv-strip",
    ".tv-stepper",
    ".tv-next-card .tv-bars",
    ".tv-tree",
    ".tv-heatmap",
)
# Bottom of an element, or of its pane where that ends above it, in pixels of the page.
BOTTOM = """selector => {
  const element = document.querySelector(selector);
  const box = element.getBoundingClientRect();
  const pane = element.closest(".tv-pane-body")?.getBoundingClientRect();
  if (!box.height) return Infinity;
  if (pane && box.top > pane.bottom - 100) return Infinity;
  return Math.min(box.bottom, pane?.bottom ?? Infinity) + scrollY;
}"""


@pytest.mark.parametrize("size", [(1440, 900), *full_only([((1280, 720),), ((1920, 1080),)])])
def test_the_first_screen_shows_every_pane(page: Page, app_url: str, size: tuple[int, int]) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    visit(page, app_url)
    bottoms = {selector: page.evaluate(BOTTOM, selector) for selector in ON_THE_FIRST}
    assert {selector: bottom for selector, bottom in bottoms.items() if bottom > height} == {}
    assert page.evaluate("document.documentElement.scrollWidth") == width
    panes = [pane.bounding_box() for pane in page.locator("#trace .tv-pane").all()]
    assert len({pane["y"] for pane in panes if pane}) == 1, "side by side"


def test_a_phone_shows_output_stepper_and_one_pane(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, app_url)
    assert max(page.evaluate(BOTTOM, part) for part in ("#source", "#run", ".tv-strip", ".tv-stepper")) <= 844
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for pane, part in (
        ("left", ".tv-bars"),
        ("centre", ".tv-tree .tv-painting"),
        ("right", ".tv-heatmap .tv-painting"),
    ):
        page.locator(f"#trace [data-pane-shown={pane}]").click()
        expect(page.locator("#trace .tv-pane:visible")).to_have_count(1)
        expect(page.locator(f"#trace {part}").first).to_be_visible()
    for chip in map(page.locator, ("#checkpoint-chip", "#examples-chip")):
        button = chip.locator(".chip-button")
        before = button.bounding_box()
        button.click()
        assert button.bounding_box() == before, "it stays under the finger"
        below = chip.locator(".chip-body").bounding_box()
        assert below is not None
        assert below["x"] + below["width"] <= 390


def test_a_phone_scrolls_to_the_result_below_the_open_settings(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, app_url)
    open_rail(page)
    expect(page.locator("#trace .tv-strip")).not_to_be_in_viewport()
    before = results(page)
    page.locator("#run").click()
    wait_for_result(page, before)
    expect(page.locator("#trace .tv-out").first).to_be_in_viewport(ratio=1)


def test_a_tablet_shows_all_panes_without_scrolling_sideways(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 768, "height": 1024})
    visit(page, app_url)
    expect(page.locator("#trace .tv-pane:visible")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth") == 768
    open_rail(page)
    assert page.evaluate("document.documentElement.scrollWidth") == 768


def test_enter_decodes_and_shift_enter_begins_a_new_line(app_page: Page) -> None:
    before = results(app_page)
    source(app_page).fill("hola")
    source(app_page).press("Shift+Enter")
    assert source(app_page).input_value() == "hola\n"
    source(app_page).press("Backspace")
    source(app_page).press("Enter")
    wait_for_result(app_page, before)
    assert source(app_page).input_value() == "hola"
    assert results(app_page) == before + 1


def test_a_changed_setting_decodes_and_appears_in_the_chip(app_page: Page) -> None:
    chip = app_page.locator("#strategy-chip .chip-value")
    expect(chip).to_have_text("Beam 4")
    choose(app_page, "Greedy")
    expect(chip).to_have_text("Greedy")
    choose(app_page, "Beam search")
    before = results(app_page)
    app_page.get_by_label("range slider for Beam size").fill("2")
    wait_for_result(app_page, before)
    expect(chip).to_have_text("Beam 2")
    expect(app_page.locator(".tv-hypotheses li")).to_have_count(2)


def test_an_example_decodes_and_its_menu_closes(app_page: Page) -> None:
    before = results(app_page)
    text = choose_example(app_page, 1)
    wait_for_result(app_page, before)
    assert source(app_page).input_value() == text
    expect(app_page.locator("#examples")).to_be_hidden()


def test_typing_decodes_only_if_the_reader_has_chosen_so(app_page: Page) -> None:
    before = results(app_page)
    source(app_page).press_sequentially(" hola")
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-stale", "true")
    box = app_page.get_by_label("Decode while I type")
    expect(box).not_to_be_checked()
    assert results(app_page) == before
    box.check()
    source(app_page).fill("buenos")
    wait_for_result(app_page, before)
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")
    app_page.reload()
    expect(box).to_be_checked()


def test_a_chip_closes_at_escape_and_at_a_click_elsewhere(app_page: Page) -> None:
    for leave in (
        lambda: app_page.keyboard.press("Escape"),
        lambda: app_page.locator(".page-header h1").click(),
    ):
        open_chip(app_page, "checkpoint")
        expect(app_page.locator("#checkpoint-summary")).to_be_visible()
        leave()
        expect(app_page.locator("#checkpoint-summary")).to_be_hidden()


def test_a_pane_is_made_wider_and_fills_the_screen(app_page: Page) -> None:
    pane = app_page.locator("#trace .tv-pane[data-pane=centre]")
    width = pane.evaluate("pane => pane.offsetWidth")
    open_more(app_page, "centre").get_by_role("button", name="Make Search wider").click()
    assert pane.evaluate("pane => pane.offsetWidth") > 1.3 * width
    height = pane.evaluate("pane => pane.offsetHeight")
    open_more(app_page, "centre").get_by_role("button", name="Fill the screen with Search").click()
    expect(app_page.locator("#trace .tv-pane:visible")).to_have_count(1)
    app_page.wait_for_function(
        "least => document.querySelector('#trace .tv-pane[data-pane=centre]').offsetHeight > least",
        arg=height,
    )
    app_page.keyboard.press("Escape")
    expect(app_page.locator("#trace .tv-pane:visible")).to_have_count(3)
    open_more(app_page, "centre").get_by_role("button", name="Fill the screen with Search").click()
    app_page.get_by_role("button", name="Leave the full screen").click()
    expect(app_page.locator("#trace .tv-pane:visible")).to_have_count(3)


def test_tabs_widths_and_the_rail_are_remembered(app_page: Page) -> None:
    open_tab(app_page, "hypotheses")
    open_rail(app_page)
    open_more(app_page, "right").locator(".tv-wider").click()
    app_page.reload()
    wait_for_result(app_page, 0)
    expect(app_page.locator("#trace .tv-hypotheses")).to_be_visible()
    expect(app_page.locator("#strategy-card")).to_be_visible()
    wider = app_page.locator("#trace .tv-pane[data-pane=right] .tv-wider")
    expect(wider).to_have_attribute("aria-pressed", "true")


def test_tabs_of_a_pane_are_one_stop_with_arrows(app_page: Page) -> None:
    tabs = app_page.locator("#trace .tv-pane[data-pane=centre] [role=tab]:visible")
    tabs.first.focus()
    app_page.keyboard.press("ArrowRight")
    expect(tabs.nth(1)).to_be_focused()
    expect(tabs.nth(1)).to_have_attribute("aria-selected", "true")
    expect(app_page.locator("#trace .tv-mass .main-svg").first).to_be_visible()
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-step", "0")
    assert [tab.get_attribute("tabindex") for tab in tabs.all()].count("0") == 1


def test_a_hidden_chart_is_drawn_when_its_tab_opens(app_page: Page) -> None:
    app_page.locator("#trace .tv-hypothesis").nth(1).evaluate("button => button.click()")
    assert app_page.locator("#trace .tv-scores .main-svg").count() == 0
    open_tab(app_page, "ranking")
    expect(app_page.locator("#trace .tv-scores .main-svg").first).to_be_visible()


def test_a_path_that_is_no_output_has_a_button_back_to_the_best_output(app_page: Page) -> None:
    back = app_page.get_by_role("button", name="Back to the best output")
    expect(back).to_be_hidden()
    open_tab(app_page, "candidates")
    app_page.locator("#trace .tv-candidates tr", has_text="pruned").first.locator("button").click()
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-hypothesis", "-1")
    back.click()
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-hypothesis", "0")
    expect(back).to_be_hidden()


def test_pointing_at_an_output_token_shows_its_attention(app_page: Page) -> None:
    words = app_page.locator("#trace .tv-band-source .tv-word")
    look = "word => Number(word.style.getPropertyValue('--weight'))"
    app_page.locator("#trace .tv-out").nth(3).hover()
    peak = max(range(words.count()), key=lambda index: words.nth(index).evaluate(look))
    assert "premio" in words.nth(peak).inner_text()
    words.nth(peak).hover()
    outputs = app_page.locator("#trace .tv-out")
    assert max(range(outputs.count()), key=lambda index: outputs.nth(index).evaluate(look)) == 3


def test_the_source_box_grows_to_three_lines(app_page: Page) -> None:
    one = source(app_page).evaluate("box => box.offsetHeight")
    source(app_page).fill("hola " * 60)
    expect(app_page.locator("#source textarea")).not_to_have_css("height", f"{one}px")
    assert source(app_page).evaluate("box => box.offsetHeight") < 4 * one
