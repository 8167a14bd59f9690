"""A page with one run view, and functions to use it."""

from __future__ import annotations

from dataclasses import replace

from playwright.sync_api import Locator, expect

from demo.training.run.component import RunView
from demo.training.work.run_report import RunReport
from models.training.runs.request import RunState
from tests.browser.bare_page import BarePage
from tests.fakes.training.run_events import run_events

STEPS = (1000, 1200, 1400)
FIRST, SECOND, THIRD = (
    RunReport("reverse-0123456789ab", "Reverse", RunState.RUNNING, events=run_events(step)) for step in STEPS
)
DONE = replace(THIRD, state=RunState.FINISHED)
RANGE = """(box, axis) => Array.from(box._fullLayout[axis].range)"""


def open_run(bare: BarePage, report: RunReport | None, query: str = "") -> Locator:
    """Open a page with a view of the run, and wait until it is drawn."""
    bare.open(RunView(report, elem_id="run"), query=query)
    view = bare.page.locator("#run .run-view")
    if report is not None:
        expect(view).to_have_attribute("data-ready", "1")
    return view


def update(bare: BarePage, report: RunReport) -> None:
    """Show a later report and wait until it is drawn."""
    view = bare.page.locator("#run .run-view")
    after = str(int(view.get_attribute("data-ready") or 0) + 1)
    bare.show(report)
    expect(view).to_have_attribute("data-ready", after)


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
