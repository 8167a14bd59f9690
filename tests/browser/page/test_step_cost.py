"""A step stays cheap on a large page, counted in elements, since times depend on the machine."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page

from tests.browser.decode_page import visit

STEPS = 4
# A step changes some 50 elements of about 3,500. A style sheet that makes the browser look at half the page
# again (an ancestor with `:has()`, for example) restyles 1,700.
MAX_ELEMENTS = 300


def test_a_step_restyles_only_the_changed_elements(page: Page, app_url: str) -> None:
    visit(page, f"{app_url}?beam_size=8")
    step = page.locator("#trace").get_by_role("button", name="Next step")
    step.click()
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=["devtools.timeline"])
    for _ in range(STEPS):
        step.click()
        page.evaluate("new Promise(shown => requestAnimationFrame(() => setTimeout(shown)))")
    restyled = restyled_elements(json.loads(browser.stop_tracing()))
    assert len(restyled) >= STEPS
    assert max(restyled) <= MAX_ELEMENTS, sorted(restyled)[-5:]


def restyled_elements(trace: dict[str, Any]) -> list[int]:
    """Return the number of elements in each recalculation of styles that the trace shows to its end."""
    events = [event for event in trace["traceEvents"] if event["name"] == "UpdateLayoutTree"]
    # A recalculation under way when the recording starts or stops has no count.
    return [event["args"]["elementCount"] for event in events if "elementCount" in event["args"]]
