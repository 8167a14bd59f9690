"""The panes of the Decode tab: what a click away is, what a step costs, and what a reload keeps."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.decode_page import open_chip, open_more, open_rail, open_tab, visit, wait_for_result

ONE_CLICK: dict[str, tuple[Callable[[Page], object], str]] = {
    "pictures of the tree": (lambda page: open_more(page, "centre"), "Download the tree chart as PNG"),
    "pruned paths": (lambda page: open_more(page, "centre"), "show pruned"),
    "the full screen": (lambda page: open_more(page, "right"), "Fill the screen with Source"),
    "a wider pane": (lambda page: open_more(page, "left"), "Make Step wider"),
    "a token that is typed": (lambda page: open_more(page, "left"), "type what comes here"),
    "the attention in the reader's hand": (
        lambda page: open_more(page, "right"),
        "Edit the attention of this step",
    ),
    "the ranking": (lambda page: open_tab(page, "hypotheses"), "Length penalty α"),
    "the recorded search": (
        lambda page: open_chip(page, "share"),
        "Download everything that the search recorded",
    ),
    "the program": (lambda page: open_chip(page, "share"), "This in PyTorch"),
    "a correction": (lambda page: open_chip(page, "share"), "Teach this: put the output right"),
    "source tokens": (lambda page: open_chip(page, "examples"), "Source tokens"),
}
STEPS = 4
# A step changes some 50 elements of about 3,500. A style sheet that makes the browser look at half the page
# again (an ancestor with `:has()`, for example) restyles 1,700.
MAX_ELEMENTS = 300


def test_a_reader_uses_the_panes(page: Page, app_url: str, subtests: pytest.Subtests) -> None:
    visit(page, f"{app_url}?beam_size=8")
    with subtests.test("pointing at an output token shows its attention, and back"):
        point_at_a_token(page)
    with subtests.test("a step restyles only the changed elements"):
        restyled = restyled_elements(page)
        assert len(restyled) >= STEPS
        assert max(restyled) <= MAX_ELEMENTS, sorted(restyled)[-5:]
    with subtests.test("a hidden chart is drawn when its tab opens"):
        page.locator("#trace .tv-hypothesis").nth(1).evaluate("button => button.click()")
        assert page.locator("#trace .tv-scores .main-svg").count() == 0
        open_tab(page, "ranking")
        expect(page.locator("#trace .tv-scores .main-svg").first).to_be_visible()
    with subtests.test("a path that is no output has a button back to the best output"):
        follow_a_pruned_path(page)
    with subtests.test("every control outside the first screen is one click away"):
        open_tab(page, "next")
        open_tab(page, "tree")
        click_for_hidden_controls(page)
    with subtests.test("the program of a result is its search with its settings"):
        open_chip(page, "share")
        page.get_by_role("button", name="This in PyTorch").locator("visible=true").click()
        program = page.locator(".pg-box pre").locator("visible=true")
        expect(program).to_contain_text("def beam_search(")
        expect(program).to_contain_text("BEAM_SIZE = 8")
    page.keyboard.press("Escape")
    with subtests.test("a pane is made wider and fills the screen"):
        widen(page)
    with subtests.test("tabs, widths and the rail survive a reload"):
        open_tab(page, "hypotheses")
        open_rail(page)
        open_more(page, "right").locator(".tv-wider").click()
        page.reload()
        wait_for_result(page, 0)
        expect(page.locator("#trace .tv-hypotheses")).to_be_visible()
        expect(page.locator("#strategy-card")).to_be_visible()
        wider = page.locator("#trace .tv-pane[data-pane=right] .tv-wider")
        expect(wider).to_have_attribute("aria-pressed", "true")


def click_for_hidden_controls(page: Page) -> None:
    candidates = page.locator("#trace label, #trace button, .share-chip button")
    hidden_controls = [
        candidates.filter(has_text=label).or_(page.locator(f"[aria-label='{label}']")).first
        for _, label in ONE_CLICK.values()
    ]
    for control in hidden_controls:
        expect(control).to_be_hidden()
    for control, (go, _) in zip(hidden_controls, ONE_CLICK.values(), strict=True):
        go(page)
        expect(control).to_be_visible()


def point_at_a_token(page: Page) -> None:
    words = page.locator("#trace .tv-band-source .tv-word")
    look = "word => Number(word.style.getPropertyValue('--weight'))"
    page.locator("#trace .tv-out").nth(3).hover()
    peak = max(range(words.count()), key=lambda index: words.nth(index).evaluate(look))
    assert "premio" in words.nth(peak).inner_text()
    words.nth(peak).hover()
    outputs = page.locator("#trace .tv-out")
    assert max(range(outputs.count()), key=lambda index: outputs.nth(index).evaluate(look)) == 3


def restyled_elements(page: Page) -> list[int]:
    """Return the number of elements in each recalculation of styles during some steps."""
    step = page.locator("#trace").get_by_role("button", name="Next step")
    step.click()
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    for _ in range(STEPS):
        step.click()
        page.evaluate("new Promise(shown => requestAnimationFrame(() => setTimeout(shown)))")
    trace: dict[str, Any] = json.loads(browser.stop_tracing())
    events = [event for event in trace["traceEvents"] if event["name"] == "UpdateLayoutTree"]
    # A recalculation under way when the recording starts or stops has no count.
    return [event["args"]["elementCount"] for event in events if "elementCount" in event["args"]]


def follow_a_pruned_path(page: Page) -> None:
    back = page.get_by_role("button", name="Back to the best output")
    expect(back).to_be_hidden()
    open_tab(page, "candidates")
    page.locator("#trace .tv-candidates tr", has_text="pruned").first.locator("button").click()
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-hypothesis", "-1")
    back.click()
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-hypothesis", "0")
    expect(back).to_be_hidden()


def widen(page: Page) -> None:
    pane = page.locator("#trace .tv-pane[data-pane=centre]")
    width = pane.evaluate("pane => pane.offsetWidth")
    open_more(page, "centre").get_by_role("button", name="Make Search wider").click()
    assert pane.evaluate("pane => pane.offsetWidth") > 1.3 * width
    height = pane.evaluate("pane => pane.offsetHeight")
    open_more(page, "centre").get_by_role("button", name="Fill the screen with Search").click()
    expect(page.locator("#trace .tv-pane:visible")).to_have_count(1)
    page.wait_for_function(
        "least => document.querySelector('#trace .tv-pane[data-pane=centre]').offsetHeight > least",
        arg=height,
    )
    page.keyboard.press("Escape")
    expect(page.locator("#trace .tv-pane:visible")).to_have_count(3)
    open_more(page, "centre").get_by_role("button", name="Fill the screen with Search").click()
    page.get_by_role("button", name="Leave the full screen").click()
    expect(page.locator("#trace .tv-pane:visible")).to_have_count(3)
