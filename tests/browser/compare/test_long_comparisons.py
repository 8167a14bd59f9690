"""Comparisons of every beam width, of two texts and of two checkpoints, and those that are not finished."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from demo.page.interface import build_demo, launch_settings
from demo.work.context import AppContext
from tests.browser.accessibility import serious_violations
from tests.browser.compare_page import (
    choose_mode,
    compare,
    comparisons,
    rows,
    take_pictures,
    tick,
    visit_comparison,
    wait_for_comparison,
)
from tests.browser.conftest import Serve
from tests.browser.decode_page import title_of
from tests.fakes.paused_search import LONG, PausedWatch
from tests.grids import release_only

pytestmark = pytest.mark.full


def expect_it_fits_and_is_accessible(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert serious_violations(page) == []


def unfold_all(page: Page) -> None:
    for part in page.locator("#comparison summary:visible").all():
        part.click()


def compare_every_beam_width(page: Page) -> None:
    text = page.locator("#compare-text textarea").input_value()
    page.locator("#compare-text textarea").fill("otra cosa")
    before = comparisons(page)
    page.locator(".cp-wider").click()
    wait_for_comparison(page, before)
    expect(rows(page)).to_have_count(5)
    expect(page.locator("#compare-text textarea")).to_have_value(text)  # it is the same that is compared
    expect(page.locator(".cp-curve .js-plotly-plot")).to_have_count(1)
    expect(page.locator(".cp-wider")).to_be_hidden()
    expect(page.locator(".compare")).to_have_attribute("data-stale", "false")
    expect_it_fits_and_is_accessible(page)
    tick(page, "Greedy", "Beam 4")
    compare(page)
    expect(page.locator(".cp-curve")).to_be_hidden()


@pytest.mark.parametrize(("width", "theme"), [*release_only([(1440, "light")]), (390, "dark")])
def test_every_part_of_a_comparison_fits_and_is_accessible(
    page: Page, app_url: str, width: int, theme: str, subtests: pytest.Subtests
) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    visit_comparison(page, f"{app_url}?__theme={theme}")
    with subtests.test("the unfolded parts of the example"):
        unfold_all(page)
        expect_it_fits_and_is_accessible(page)
    with subtests.test("an opened row"):
        page.get_by_role("button", name="Beam 4", exact=True).click()
        expect(page.locator("#compare-trace .trace-view")).to_have_attribute("data-ready", "1")
        expect_it_fits_and_is_accessible(page)
    with subtests.test("one click compares every beam width"):
        compare_every_beam_width(page)
    with subtests.test("a minimal pair"):
        choose_mode(page, "Minimal pair")
        compare(page, "inputs")
        unfold_all(page)
        expect_it_fits_and_is_accessible(page)


def compare_a_minimal_pair(page: Page, folder: Path) -> None:
    choose_mode(page, "Minimal pair")
    compare(page, "inputs")
    expect(page.locator(".cp-summary")).to_contain_text("“library” in the first, “station” in the second")
    expect(page.locator(".cp-source ins")).to_have_text("estación")
    expect(page.locator(".cp-output ins")).to_have_text("station")
    page.get_by_text("Word by word").click()
    expect(page.locator('.cp-words tr[data-same="false"]')).to_have_count(1)
    take_pictures(page, folder)
    page.locator(".cp-side .cp-pin").nth(1).click()
    expect(page.locator(".cp-output ins")).to_have_text("library")
    page.locator("#compare-swap-inputs").click()
    expect(page.locator("#compare-text textarea")).to_have_value(
        "Hay una estación antigua en el pueblo de mi madre."
    )
    compare(page, "inputs")
    expect(page.locator(".cp-output ins")).to_have_text("library")


def compare_two_checkpoints(page: Page) -> None:
    choose_mode(page, "Two checkpoints")
    page.locator("#compare-other-checkpoint input").click()
    page.get_by_role("option", name=title_of("dates-transformer")).click()
    compare(page, "checkpoints")
    expect(page.locator(".cp-side")).to_have_count(2)
    expect(page.locator(".cp-note")).to_contain_text("Different tasks")
    expect(page.locator(".cp-attention svg")).to_have_count(2)
    page.locator(".cp-attention rect").nth(3).hover()
    expect(page.locator(".cp-readout").first).to_contain_text("looks at")


def test_a_minimal_pair_and_two_checkpoints_stand_side_by_side(
    page: Page, app_url: str, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    visit_comparison(page, app_url)
    with subtests.test("a minimal pair"):
        compare_a_minimal_pair(page, tmp_path)
    with subtests.test("two checkpoints"):
        compare_two_checkpoints(page)


def begin_paused_comparison(page: Page) -> None:
    """Start a comparison of two rows; the second one waits until it is stopped."""
    page.locator("#compare-text textarea").fill(LONG)
    tick(page, "Greedy", "Exact search")
    page.locator("#compare-run-strategies").click()
    expect(page.locator('tr[data-state="done"]')).to_have_count(1)
    expect(page.locator('tr[data-state="running"] .cp-busy')).to_be_visible()


def test_a_running_comparison_is_replaced_or_stopped(
    page: Page, serve: Serve, context: AppContext, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    visit_comparison(page, serve(build_demo(context), **launch_settings(uploads=False)))
    monkeypatch.setattr("demo.compare.work.running.Watch", PausedWatch)
    with subtests.test("a new comparison replaces the running one"):
        begin_paused_comparison(page)
        tick(page, "Greedy", "Beam 4")
        compare(page)
        expect(rows(page)).to_have_count(2)
        expect(page.locator('tr[data-state="done"]')).to_have_count(2)
        expect(page.locator("#compare-stop")).to_be_hidden()
    with subtests.test("Stop keeps the finished rows"):
        begin_paused_comparison(page)
        page.locator("#compare-stop").click()
        expect(page.locator(".compare")).to_have_attribute("data-running", "false")
        expect(page.locator("#compare-stop")).to_be_hidden()
        expect(page.locator('tr[data-state="done"]')).to_have_count(1)
        expect(page.locator('tr[data-state="stopped"]')).to_have_text(re.compile("stopped"))
        tick(page, "Greedy")
        compare(page)
        expect(rows(page)).to_have_count(1)
