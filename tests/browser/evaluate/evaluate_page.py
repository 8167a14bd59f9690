"""Common steps of journeys through the Evaluate tab."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.windows import PATIENCE

VIEW = "#evaluation .evaluation"
STRATEGIES = "strategies=greedy~beam,beam_size:2"


def wait_for_evaluation(page: Page, *, part: str = "") -> Locator:
    """Wait until an evaluation and its part are drawn; return the view."""
    view = page.locator(f"{VIEW}[data-stage='done']:not([data-ready='0'])")
    expect(view).to_be_visible(timeout=PATIENCE)
    if part:
        expect(page.locator(f"{VIEW}[data-part='{part}']")).to_be_visible()
    return view


def evaluate(page: Page) -> Locator:
    """Press the button, and wait for another evaluation than the current one."""
    page.evaluate(f"document.querySelector(\"{VIEW}\").dataset.stage = 'before'")
    page.locator("#evaluate-run").click()
    return wait_for_evaluation(page)
