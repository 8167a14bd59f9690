"""Journeys through the Compare tab, served as the app serves it, with the shipped checkpoints."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import gradio as gr
import pytest
from playwright.sync_api import Page, expect

from demo.interface import launch_settings
from demo.operator.caps import MAX_RUNNING
from demo.server.gate.rates import Rates
from demo.server.page import Page as Blocks
from demo.service.context import AppContext
from demo.tabs.compare import build_compare_tab
from demo.views.decode.strategy_picker.component import presets
from models.registry.registry import Registry
from tests.browser.accessibility import serious_violations
from tests.browser.compare_page import (
    choose_mode,
    compare,
    rows,
    tick,
    visit_comparison,
)
from tests.browser.conftest import ROOT, free_port
from tests.browser.decode_page import visit
from tests.fakes.paused_search import LONG, PausedWatch
from tests.grids import full_only


@pytest.fixture(scope="module")
def compare_url() -> Iterator[str]:
    """The Compare tab alone, served by this process."""
    unlimited = Rates(0), lambda page: None  # no limit, and no tools for language models
    with Blocks(*unlimited, title="Unrolled", analytics_enabled=False, fill_width=True) as demo:
        gr.HTML("<h1>Unrolled</h1>")
        with gr.Tabs():
            with gr.Tab("Another"):
                gr.HTML("<p>Not this one.</p>")
            build_compare_tab(AppContext(Registry(ROOT / "checkpoints"), "cpu"), gr.BrowserState())
    demo.queue(default_concurrency_limit=MAX_RUNNING)
    port = free_port()
    demo.launch(
        server_name="127.0.0.1", server_port=port, prevent_thread_lock=True, quiet=True, **launch_settings()
    )
    yield f"http://127.0.0.1:{port}/"
    demo.close(verbose=False)


def take_pictures(page: Page, folder: Path) -> None:
    """Download the comparison as PNG and SVG."""
    for index, start in ((1, b"\x89PNG"), (2, b"<svg")):
        with page.expect_download() as download:
            page.locator(".cp-file").nth(index).click()
        saved = folder / f"picture{index}"
        download.value.save_as(saved)
        assert saved.read_bytes().startswith(start)
        assert saved.stat().st_size > 5000


@pytest.fixture
def app_page(page: Page, compare_url: str) -> Page:
    visit_comparison(page, compare_url)
    return page


def test_the_compare_tab_computes_nothing_before_it_is_opened(page: Page, app_url: str) -> None:
    visit(page, app_url)
    expect(page.locator(".cp-rows tbody tr")).to_have_count(0)
    visit_comparison(page, app_url)
    expect(rows(page)).to_have_count(len(presets(ticked=True)))


def test_the_tab_opens_with_a_comparison_that_shows_a_search_error_and_its_step(app_page: Page) -> None:
    expect(rows(app_page)).to_have_count(len(presets(ticked=True)))
    expect(app_page.locator(".cp-summary li").first).to_contain_text("Greedy makes a search error")
    expect(app_page.locator(".cp-summary li").last).to_contain_text("a model error, not a search error")
    expect(app_page.locator('.cp-mark[data-standing="search_error"]')).to_contain_text("missed the mode by")
    expect(app_page.locator(".cp-rows ins").first).to_be_visible()
    expect(app_page.locator(".cp-signature")).to_contain_text("nrefs:1")
    expect(app_page.locator("#compare-trace")).to_be_hidden()
    app_page.get_by_role("button", name="Beam 4", exact=True).click()
    view = app_page.locator("#compare-trace .trace-view")
    expect(view).to_have_attribute("data-ready", "1")
    text = rows(app_page).nth(1).locator(".cp-text ins").inner_text()
    expect(view.locator(".tv-hypotheses li").first).to_contain_text(text)
    wrong = rows(app_page).filter(has=app_page.locator('.cp-mark[data-standing="search_error"]'))
    expect(app_page.locator(".cp-where")).to_have_count(wrong.count())
    wrong.first.locator(".cp-where").click()
    expect(view).to_have_attribute("data-restored", "true")
    expect(view.locator('[data-tab="tree"]')).to_have_attribute("aria-selected", "true")
    expect(view.locator(".tv-tree")).to_be_visible()
    expect(view.locator(".tv-lost")).to_be_visible()
    caption = view.locator("[data-caption=lost]")
    step = int(view.get_attribute("data-step") or 0) + 1
    assert re.search(rf"\b{step}\b", caption.inner_text())
    assert view.get_attribute("data-hypothesis") == "-1"
    assert serious_violations(app_page) == []


def test_chips_show_ranks_columns_sort_and_rows_are_compared_with_a_pinned_one(app_page: Page) -> None:
    expect(app_page.locator(".cp-chips")).to_be_hidden()  # until somebody asks
    app_page.get_by_text("The reference, scored by the model").click()
    chip = app_page.locator(".cp-chip").nth(1)
    chip.hover()
    expect(app_page.locator(".cp-detail")).to_contain_text("rank 1 of the vocabulary")
    app_page.locator(".cp-chip").first.focus()
    app_page.keyboard.press("ArrowRight")
    expect(chip).to_be_focused()
    expect(app_page.locator(".cp-detail")).to_contain_text("step 2")
    header = app_page.locator('[data-key="logProb"]')
    header.click()
    sorted_by = app_page.locator('th[aria-sort="descending"]')
    expect(sorted_by).to_contain_text("log p")
    column = sorted_by.evaluate("cell => cell.cellIndex + 1")
    header.click()
    values = [
        float(text.replace("−", "-"))
        for text in app_page.locator(f".cp-rows tr td:nth-child({column})").all_text_contents()
    ]
    assert values == sorted(values)
    first = rows(app_page).first
    first.locator(".cp-pin").click()
    expect(first.locator(".cp-pin")).to_have_attribute("aria-pressed", "true")
    expect(app_page.locator(".cp-baseline")).to_contain_text("compared with Greedy")
    expect(first.locator("ins, del")).to_have_count(0)


def test_a_failed_row_leaves_the_others_and_a_variant_can_be_added(app_page: Page) -> None:
    tick(app_page, "Greedy")
    form = app_page.locator("#compare-strategies")
    form.locator("summary").click()
    form.get_by_label("Strategy").select_option("diverse")
    form.get_by_label("Groups").fill("3")
    form.get_by_role("button", name="Add").click()
    expect(form.locator(".sp-problem")).to_contain_text("3 groups do not divide 4 beams")
    form.get_by_label("Groups").fill("4")
    form.get_by_role("button", name="Add").click()
    form.get_by_label("Strategy").select_option("exhaustive")
    form.get_by_role("button", name="Add").click()
    expect(form.locator("legend")).to_contain_text("3 of at most 12")
    compare(app_page)
    expect(rows(app_page)).to_have_count(3)
    expect(rows(app_page).nth(1)).to_contain_text("Diverse beam 4/4")
    expect(app_page.locator('tr[data-state="failed"] .cp-problem')).to_contain_text(
        "exhaustive search scores"
    )
    expect(app_page.locator('tr[data-state="done"]')).to_have_count(2)
    form.get_by_role("button", name="Remove Exhaustive search").click()
    expect(form.locator("legend")).to_contain_text("2 of at most 12")
    tick(app_page, "Greedy", "Beam 4")
    app_page.locator("#compare-reference textarea").fill("")
    compare(app_page)
    expect(rows(app_page)).to_have_count(2)
    assert app_page.locator(".cp-head").all_inner_texts()[-1].startswith("first difference")
    expect(app_page.locator('[data-key="bleu"]')).to_have_count(0)
    expect(app_page.locator(".cp-verdict")).to_be_hidden()
    expect(app_page.locator(".cp-baseline")).to_contain_text("compared with Greedy")


def test_the_table_is_saved_as_csv_without_formulas_and_as_a_picture(app_page: Page, tmp_path: Path) -> None:
    tick(app_page, "Greedy", "Exact search")
    app_page.locator("#compare-reference textarea").fill('=1+1, "sum"')
    compare(app_page)
    with app_page.expect_download() as download:
        app_page.locator(".cp-file").first.click()
    saved = tmp_path / "comparison.csv"
    download.value.save_as(saved)
    raw = saved.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    assert b"\r\n" in raw
    lines = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))
    assert [line["strategy"] for line in lines] == ["Greedy", "Exact search"]
    assert lines[0]["reference"] == '\'=1+1, "sum"'
    assert float(lines[1]["log-probability (nats)"]) > float(lines[0]["log-probability (nats)"])
    assert float(lines[0]["nats below the best"]) > 0
    assert lines[1]["BLEU"]
    take_pictures(app_page, tmp_path)


@pytest.mark.full
def test_a_minimal_pair_and_two_checkpoints_stand_side_by_side(app_page: Page, tmp_path: Path) -> None:
    choose_mode(app_page, "Minimal pair")
    compare(app_page, "inputs")
    expect(app_page.locator(".cp-summary")).to_contain_text("“library” in the first, “station” in the second")
    expect(app_page.locator(".cp-source ins")).to_have_text("estación")
    expect(app_page.locator(".cp-output ins")).to_have_text("station")
    app_page.get_by_text("Word by word").click()
    expect(app_page.locator('.cp-words tr[data-same="false"]')).to_have_count(1)
    take_pictures(app_page, tmp_path)
    app_page.locator(".cp-side .cp-pin").nth(1).click()
    expect(app_page.locator(".cp-output ins")).to_have_text("library")
    app_page.locator("#compare-swap-inputs").click()
    expect(app_page.locator("#compare-text textarea")).to_have_value(
        "Hay una estación antigua en el pueblo de mi madre."
    )
    compare(app_page, "inputs")
    expect(app_page.locator(".cp-output ins")).to_have_text("library")
    choose_mode(app_page, "Two checkpoints")
    app_page.locator("#compare-other-checkpoint input").click()
    app_page.get_by_role("option", name="dates-transformer", exact=True).click()
    compare(app_page, "checkpoints")
    expect(app_page.locator(".cp-side")).to_have_count(2)
    expect(app_page.locator(".cp-note")).to_contain_text("Different tasks")
    expect(app_page.locator(".cp-attention svg")).to_have_count(2)
    app_page.locator(".cp-attention rect").nth(3).hover()
    expect(app_page.locator(".cp-readout").first).to_contain_text("looks at")


def test_text_is_shown_as_text(app_page: Page) -> None:
    app_page.on("dialog", lambda dialog: pytest.fail(f"a dialog opened: {dialog.message}"))
    hostile = "<img src=x onerror=alert(1)> ${alert(1)} </s>"
    tick(app_page, "Greedy", "Beam 4")
    app_page.locator("#compare-text textarea").fill(hostile)
    app_page.locator("#compare-reference textarea").fill(hostile)
    compare(app_page)
    expect(app_page.locator(".cp-fact-text").first).to_have_text(hostile)
    assert app_page.locator("#comparison :is(img, script)").count() == 0


def begin_paused_comparison(app_page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start a comparison of two rows; the second one waits until it is stopped."""
    monkeypatch.setattr("demo.service.comparison.running.Watch", PausedWatch)
    app_page.locator("#compare-text textarea").fill(LONG)
    tick(app_page, "Greedy")
    form = app_page.locator("#compare-strategies")
    form.locator("summary").click()
    form.get_by_label("Strategy").select_option("exact")
    form.get_by_role("button", name="Add").click()
    expect(form.locator("legend")).to_contain_text("2 of at most 12")
    app_page.locator("#compare-run-strategies").click()
    expect(app_page.locator('tr[data-state="done"]')).to_have_count(1)
    expect(app_page.locator('tr[data-state="running"] .cp-busy')).to_be_visible()


@pytest.mark.full
def test_a_new_comparison_replaces_the_running_one(app_page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    begin_paused_comparison(app_page, monkeypatch)
    tick(app_page, "Greedy", "Beam 4")
    compare(app_page)
    expect(rows(app_page)).to_have_count(2)
    expect(app_page.locator('tr[data-state="done"]')).to_have_count(2)
    expect(app_page.locator("#compare-stop")).to_be_hidden()


@pytest.mark.full
def test_stop_keeps_the_finished_rows(app_page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    begin_paused_comparison(app_page, monkeypatch)
    app_page.locator("#compare-stop").click()
    expect(app_page.locator(".compare")).to_have_attribute("data-running", "false")
    expect(app_page.locator("#compare-stop")).to_be_hidden()
    expect(app_page.locator('tr[data-state="done"]')).to_have_count(1)
    expect(app_page.locator('tr[data-state="stopped"]')).to_have_text(re.compile("stopped"))
    tick(app_page, "Greedy")
    compare(app_page)
    expect(rows(app_page)).to_have_count(1)


@pytest.mark.parametrize("size", [(1440, 900), *full_only([((1280, 720),)])])
def test_the_first_screen_shows_the_first_rows(page: Page, compare_url: str, size: tuple[int, int]) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    visit_comparison(page, compare_url)
    bottom = "row => row.getBoundingClientRect().bottom + scrollY"
    assert rows(page).nth(1).evaluate(bottom) <= height
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.full
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), *full_only([(390, "dark")])])
def test_axe_finds_no_serious_violation_and_a_phone_scrolls_one_way(
    page: Page, compare_url: str, scheme: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    visit_comparison(page, f"{compare_url}?__theme={scheme}")
    for label, mode in (("Strategies", "strategies"), ("Minimal pair", "inputs")):
        choose_mode(page, label)
        if mode != "strategies":
            compare(page, mode)
        for part in page.locator("#comparison summary:visible").all():
            part.click()
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert serious_violations(page) == []
