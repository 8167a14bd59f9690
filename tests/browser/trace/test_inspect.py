"""Inspect on the real page: one click away, with the same selection as the other cards."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from demo.inspect import inspect_views
from tests.browser.accessibility import serious_violations
from tests.browser.charts import click_point
from tests.browser.decode_page import open_share, open_tab, show_pane, visit, wait_for_result

TRANSFORMER = "checkpoint=spa-eng-transformer"
OPEN = "#trace .tv-inspect-card.tv-open"
SUMMARY = f"{OPEN} .tv-inspect-summary"
SETTLED = f"""() => {{
    const card = document.querySelector("{OPEN}");
    const summary = card?.querySelector(".tv-inspect-summary").textContent;
    return summary && !card.classList.contains("tv-asking");
}}"""

OFFERED = [view for view in inspect_views() if not view.for_lessons]


def inspect(page: Page, view: str = "") -> None:
    show_pane(page.locator("#trace"), "inspect")
    if view:
        open_tab(page, view)
    page.wait_for_function(SETTLED)


def test_every_view_opens_in_two_clicks_and_fits_a_phone(
    page: Page, app_url: str, subtests: pytest.Subtests
) -> None:
    (for_lessons,) = (view for view in inspect_views() if view.for_lessons)
    visit(page, f"{app_url}?{TRANSFORMER}&inspect={for_lessons.name}")
    with subtests.test("a view for lessons has a tab only when a link opens the view"):
        tab = page.locator(f"#trace [data-tab={for_lessons.name}]")
        expect(tab).to_have_attribute("aria-selected", "true")
        inspect(page, OFFERED[0].name)
        expect(tab).to_be_hidden()
    page.locator("#trace [data-pane-shown=centre]").click()
    for view in OFFERED:
        with subtests.test("opens", view=view.name):
            inspect(page, view.name)
            expect(page.locator(SUMMARY)).to_have_text(re.compile(r"\w+ \w+"))
    with subtests.test("Inspect is alone, or the other panes are there"):
        expect(page.locator("#trace .tv-pane:visible")).to_have_count(1)
        page.locator("#trace [data-pane-shown=centre]").click()
        expect(page.locator("#trace .tv-pane:visible")).to_have_count(3)
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    wait_for_result(page, 0)
    for view in OFFERED:
        with subtests.test("fits a phone", view=view.name):
            fits_a_phone(page, view.name)


def fits_a_phone(page: Page, view: str) -> None:
    inspect(page, view)
    page.wait_for_function("document.documentElement.scrollWidth === 390")
    assert page.locator(OPEN).evaluate("card => card.scrollWidth <= card.clientWidth")


@pytest.mark.full
def test_a_view_follows_and_changes_the_step(page: Page, app_url: str) -> None:
    visit(page, f"{app_url}?{TRANSFORMER}")
    inspect(page, "lens")
    summary = page.locator(SUMMARY)
    expect(summary).to_contain_text("“␣Where”")
    page.locator(".tv-out").nth(3).click()
    expect(summary).to_contain_text("“␣library”")
    page.wait_for_function(SETTLED)
    frame = page.locator(f"{OPEN} .shapelayer path").first
    expect(frame).to_be_attached()
    box = page.locator(f"{OPEN} .nsewdrag").first.bounding_box()
    assert box
    chart = page.locator(f"{OPEN} .js-plotly-plot").first
    click_point(chart, (box["x"] + 0.25 * box["width"], box["y"] + 0.5 * box["height"]))
    expect(summary).to_contain_text("“␣is”")
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-step", "1")
    assert serious_violations(page) == []


@pytest.mark.full
def test_the_address_restores_a_view_and_its_controls(page: Page, app_url: str) -> None:
    visit(page, f"{app_url}?{TRANSFORMER}")
    page.locator(".tv-out").nth(3).click()
    inspect(page, "lens")
    page.locator(f"{OPEN} .tv-inspect-control select").select_option("encoder")
    expect(page.locator(f"{OPEN} tbody tr").last).to_contain_text("Where is the library?")
    page.wait_for_url(re.compile("inspect=lens,side:encoder"))
    page.reload()
    wait_for_result(page, 0)
    page.wait_for_function(SETTLED)
    expect(page.locator(f"{OPEN} .tv-inspect-control select")).to_have_value("encoder")
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-step", "3")
    expect(page.locator(f"{OPEN} tbody tr").last).to_contain_text("Where is the library?")


@pytest.mark.full
@pytest.mark.parametrize("language", ["es", "zh"])
def test_a_phone_shows_every_view_without_scrolling_sideways(page: Page, app_url: str, language: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, f"{app_url}?{TRANSFORMER}&__lang={language}&__theme=dark")
    for view in OFFERED:
        fits_a_phone(page, view.name)


@pytest.mark.full
def test_an_exported_page_contains_the_answers_shown_before(
    page: Page, app_url: str, tmp_path: Path, expected_errors: list[str]
) -> None:
    expected_errors.append("request to another host: file:")  # the page itself
    visit(page, f"{app_url}?{TRANSFORMER}")
    page.locator(".tv-out").nth(3).click()
    inspect(page, "lens")
    live_text = page.locator(SUMMARY).inner_text()
    path = tmp_path / "page.html"
    open_share(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="page that works offline").click()
    download.value.save_as(path)
    page.goto(path.as_uri())
    page.wait_for_function("Number(document.querySelector('.trace-view').dataset.ready) > 0")
    page.locator("[data-pane-shown=inspect]").click()
    page.locator("[data-tab=lens]").click()
    summary = page.locator(".tv-inspect-card.tv-open .tv-inspect-summary")
    # The view of the first step was never opened, so the page does not contain it.
    expect(summary).to_have_text("Only the running page can compute this.")
    page.locator(".tv-out").nth(3).click()
    expect(summary).to_have_text(live_text)
    expect(page.locator(".tv-inspect-card.tv-open .js-plotly-plot").first).to_be_visible()
