"""Points and clicks in charts; Plotly treats a click as one on the point under its latest hint."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

PAINTED_OVER = "(box) => Boolean(box.querySelector('.gl-container + .tv-painting > g'))"
HOVERED = "(box) => Boolean(box._hoverdata?.length)"


def bring_plotly(chart: Locator) -> None:
    """Point at a painted chart and wait until Plotly has taken it over."""
    chart.hover()
    expect(chart).to_have_class(re.compile("js-plotly-plot"))
    chart.page.wait_for_function(PAINTED_OVER, arg=chart.element_handle())


def click_point(chart: Locator, position: tuple[float, float]) -> None:
    """Click a point of the page after the chart has shown its hint."""
    page = chart.page
    page.mouse.move(0, 0)
    chart.evaluate("(box) => { box._hoverdata = undefined; }")
    page.mouse.move(*position)
    page.wait_for_function(HOVERED, arg=chart.element_handle())
    page.mouse.click(*position)
