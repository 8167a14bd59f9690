"""A visitor's actions on the Training tab, as functions of a page."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

RUN = "#training-run .run-view"


def open_tab(page: Page) -> None:
    page.get_by_role("tab", name="Training").click()
    expect(page.locator("#training-mode")).to_be_visible()


def watch(page: Page) -> None:
    """Show the chosen run instead of the form."""
    page.locator("#training-mode").get_by_role("radio", name="Watch a run").check()
    expect(page.locator("#train-settings")).to_be_hidden()


def remove(page: Page) -> None:
    """Press Remove and confirm, in a question beside the button."""
    page.locator("#run-remove").click()
    page.locator(".asks-first .asks-agree").click()


def state(page: Page) -> str:
    return page.locator(RUN).get_attribute("data-state") or ""


def wait_for_state(page: Page, *states: str) -> None:
    page.wait_for_function(
        "([view, states]) => states.includes(document.querySelector(view)?.dataset.state)", arg=[RUN, states]
    )


def wait_for_step(page: Page, least: int) -> None:
    """Wait until the run has reported a step of at least `least`."""
    page.wait_for_function(
        """([view, least]) => {
          const text = document.querySelector(`${view} .rv-steps`)?.textContent ?? "";
          return Number(text.replace(/[^0-9 ]/g, "").trim().split(/ +/)[0]) >= least;
        }""",
        arg=[RUN, least],
    )


def setting(page: Page, path: str) -> Locator:
    """The field of a recipe's setting, whose section must be open."""
    return page.locator(f"#train-{path.replace('.', '-').replace('_', '-')} input")


def section(page: Page, name: str) -> None:
    page.locator("#train-settings .train-section > button", has_text=re.compile(f"^{name}")).click()


def losses(page: Page) -> list[float]:
    """The training losses in the chart."""
    return page.locator(f"{RUN} [data-chart=loss] .js-plotly-plot").evaluate(
        "node => Array.from(node.data.find((trace) => trace.mode === 'lines' && trace.y.length > 1).y)"
    )
