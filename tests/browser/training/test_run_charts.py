"""The charts of a training run: zoom, axes, earlier runs, clicks on an evaluation, downloads."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.bare_page import BarePage
from tests.browser.charts import click_point
from tests.browser.training.run_page import DONE, FIRST, SECOND, axis_range, open_run, update, zoom
from tests.fakes.training.run_events import HOSTILE, run_events

LEGEND = ("training, gradient before clipping", "validation, gradient after clipping", HOSTILE)

# Where the third evaluation of a chart stands on the screen.
THIRD_POINT = """(box) => {
  const [trace] = box.data;
  const { xaxis, yaxis } = box._fullLayout;
  const frame = box.getBoundingClientRect();
  const along = (axis, value) => axis._offset + axis.l2p(value);
  return [frame.left + along(xaxis, trace.x[2]), frame.top + along(yaxis, trace.y[2])];
}"""


def test_a_zoom_outlives_the_updates_and_holds_for_all_charts_until_another_run(bare: BarePage) -> None:
    view = open_run(bare, FIRST)
    whole = axis_range(view, "loss")
    zoom(view)
    expect(view.get_by_role("button", name="Show all steps")).to_be_enabled()
    steps, losses = axis_range(view, "loss"), axis_range(view, "loss", "yaxis")
    assert whole[0] < steps[0] < steps[1] < whole[1]
    assert axis_range(view, "rate") == steps
    update(bare, SECOND)
    assert axis_range(view, "loss") == steps
    assert axis_range(view, "loss", "yaxis") == losses
    view.get_by_role("button", name="Show all steps").click()
    expect(view.get_by_role("button", name="Show all steps")).to_be_disabled()
    assert axis_range(view, "norm")[1] == pytest.approx(1200 * 1.02)
    zoom(view)
    view.get_by_role("slider", name="Evaluation").fill("1")
    update(bare, replace(DONE, id="other-0123456789ab", events=run_events(2000)))
    expect(view).to_have_attribute("data-step", "2000")  # it begins at its own end
    assert axis_range(view, "loss") == [0, 2040]


def test_the_loss_has_a_logarithmic_axis_and_a_point_of_a_curve_leads_to_its_evaluation(
    bare: BarePage,
) -> None:
    view = open_run(bare, DONE)
    view.get_by_label("logarithmic loss").check()
    kind = "(box) => box._fullLayout.yaxis.type"
    chart = view.locator("figure[data-chart=loss] .rv-chart")
    view.page.wait_for_function(
        "() => document.querySelector('[data-chart=loss] .rv-chart')._fullLayout.yaxis.type === 'log'"
    )
    update(bare, replace(DONE, title="again"))
    assert chart.evaluate(kind) == "log"
    chart = view.locator("figure[data-chart=score] .rv-chart")
    chart.scroll_into_view_if_needed()
    click_point(chart, chart.evaluate(THIRD_POINT))
    expect(view).to_have_attribute("data-step", "600")


def test_earlier_runs_are_named_and_drawn_behind_the_current_one(bare: BarePage) -> None:
    view = open_run(bare, replace(DONE, overlays=((HOSTILE, run_events(2000)),)))
    expect(view.locator(".rv-legend li")).to_have_text(list(LEGEND))
    assert axis_range(view, "loss")[1] > 2000


def test_the_browser_makes_the_files(bare: BarePage, tmp_path: Path) -> None:
    view = open_run(bare, DONE)
    saved = {}
    for name in (
        "Download the points of all curves as a table",
        "Download the loss chart as SVG",
        "Download the attention chart as SVG",
    ):
        with view.page.expect_download() as download:
            view.get_by_role("button", name=name).click()
        saved[name] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[name])
    table, loss, attention = saved.values()
    rows = list(csv.DictReader(table.read_text(encoding="utf-8-sig").splitlines()))
    assert [row["step"] for row in rows][-1] == "1400"
    assert float(rows[-1]["validation_loss"]) == pytest.approx(0.3749, abs=1e-3)
    assert rows[0]["validation_loss"] == ""
    assert b"nats per token" in loss.read_bytes()
    assert b"source" in attention.read_bytes()
