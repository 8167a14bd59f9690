"""A page with one run view that steps through given reports, and functions to use it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from playwright.sync_api import Locator, Page, expect

from demo.service.training.run_report import RunReport
from demo.views.training.run.component import RunView
from models.training.runs.status import RunState
from tests.browser.bare_page import BarePages
from tests.fakes.training.run_events import run_events

STEPS = (1000, 1200, 1400)
FIRST, SECOND, THIRD = (
    RunReport("reverse-0123456789ab", "Reverse", RunState.RUNNING, events=run_events(step)) for step in STEPS
)
DONE = replace(THIRD, state=RunState.FINISHED)
Show = Callable[..., Locator]
RANGE = """(box, axis) => Array.from(box._fullLayout[axis].range)"""


def open_run(page: Page, bare: BarePages, *reports: RunReport | None, query: str = "") -> Locator:
    """Serve the reports and wait until the first one is drawn."""
    page.goto(bare.add(RunView(reports[0], elem_id="run"), reports[1:], "Poll") + query)
    view = page.locator("#run .run-view")
    if reports[0] is not None:
        expect(view).to_have_attribute("data-ready", "1")
    return view


def poll(view: Locator) -> None:
    """Show the next report and wait until it is drawn."""
    after = str(int(view.get_attribute("data-ready") or 0) + 1)
    ask(view)
    expect(view).to_have_attribute("data-ready", after)


def ask(view: Locator) -> None:
    """Request the next report without the pointer, which would move the focus and scroll the page."""
    view.page.get_by_role("button", name="Poll").evaluate("(button) => button.click()")


def axis_range(view: Locator, chart: str, axis: str = "xaxis") -> list[float]:
    return view.locator(f"figure[data-chart={chart}] .rv-chart").evaluate(RANGE, axis)


def zoom(view: Locator, chart: str = "loss") -> None:
    """Drag a box over the middle of a chart."""
    box = view.locator(f"figure[data-chart={chart}] .rv-chart")
    box.scroll_into_view_if_needed()
    frame = box.bounding_box()
    assert frame is not None
    mouse = view.page.mouse
    mouse.move(frame["x"] + 0.4 * frame["width"], frame["y"] + 0.3 * frame["height"])
    mouse.down()
    mouse.move(frame["x"] + 0.7 * frame["width"], frame["y"] + 0.7 * frame["height"], steps=4)
    mouse.up()
