"""Clicking in Plotly's charts, which take a click for the point that they pointed out last."""

from __future__ import annotations

from playwright.sync_api import Locator

HOVERED = "(box) => Boolean(box._hoverdata?.length)"


def click_point(chart: Locator, at: tuple[float, float]) -> None:
    """Click a point of the page once the chart has pointed out what lies there."""
    page = chart.page
    page.mouse.move(0, 0)
    chart.evaluate("(box) => { box._hoverdata = undefined; }")
    page.mouse.move(*at)
    page.wait_for_function(HOVERED, arg=chart.element_handle())
    page.mouse.click(*at)
