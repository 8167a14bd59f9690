"""The first screen has few controls, and all others are one click away."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.controls import seen_controls
from tests.browser.decode_page import open_chip, open_more, open_tab, visit

MAX_CONTROLS = 45  # controls on a laptop's screen
LAPTOP = {"width": 1440, "height": 900}
ONE_CLICK: dict[str, tuple[Callable[[Page], None], str]] = {
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


def test_the_first_screen_has_few_controls(page: Page, app_url: str) -> None:
    page.set_viewport_size(LAPTOP)
    visit(page, app_url)
    expect(page.locator("#trace .gl-term").first).to_be_visible()  # they come last
    controls = seen_controls(page)
    assert len(controls) <= MAX_CONTROLS, "\n".join(controls)


def test_every_control_outside_the_first_screen_is_one_click_away(app_page: Page) -> None:
    candidates = app_page.locator("#trace label, #trace button, .share-chip button")
    hidden_controls = [
        candidates.filter(has_text=label).or_(app_page.locator(f"[aria-label='{label}']")).first
        for _, label in ONE_CLICK.values()
    ]
    for control in hidden_controls:
        expect(control).to_be_hidden()
    for control, (go, _) in zip(hidden_controls, ONE_CLICK.values(), strict=True):
        go(app_page)
        expect(control).to_be_visible()
