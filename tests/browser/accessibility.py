"""Accessibility violations that axe finds on a page."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

Violation = tuple[str, list[str]]  # the rule, and the elements that break it
# A list of passes takes as long as one of violations. Style sheets are preloaded for one rule alone, about
# the orientation of a device.
OPTIONS = {"resultTypes": ["violations"], "preload": False}
# Wait for transitions, during which contrast is low, but not for endless animations.
SETTLED = """() => Promise.allSettled(document.getAnimations()
  .filter((each) => each.playState === "running" && each.effect.getComputedTiming().endTime < Infinity)
  .map((animation) => animation.finished))"""


def violations(page: Page, context: str) -> list[Violation]:
    """All violations within the element that a selector matches."""
    return _named(_violations(page, context))


def serious_violations(page: Page) -> list[Violation]:
    """The violations on the page that keep some visitors from using it."""
    return _named(
        [violation for violation in _violations(page) if violation["impact"] in {"serious", "critical"}]
    )


def _violations(page: Page, context: str | None = None) -> list[dict[str, Any]]:
    page.evaluate(SETTLED)
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    script = "([context, options]) => axe.run(context ?? document, options)"
    violations: list[dict[str, Any]] = page.evaluate(script, [context, OPTIONS])["violations"]
    return violations


def _named(violations: list[dict[str, Any]]) -> list[Violation]:
    return [(violation["id"], [node["html"] for node in violation["nodes"]]) for violation in violations]
