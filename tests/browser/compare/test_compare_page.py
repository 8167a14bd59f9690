"""Journeys through the Compare tab with the shipped checkpoints: two readers."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from demo.widgets.strategy_picker.component import presets
from tests.browser.accessibility import serious_violations
from tests.browser.compare_page import compare, rows, take_pictures, tick, wait_for_comparison
from tests.browser.decode_page import visit


def expect_the_first_rows_on_the_first_screen(page: Page) -> None:
    for width, height in ((1280, 720), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        bottom = "row => row.getBoundingClientRect().bottom + scrollY"
        assert rows(page).nth(1).evaluate(bottom) <= height
        assert page.evaluate("document.documentElement.scrollWidth") == width


def expect_both_kinds_of_errors(page: Page) -> None:
    expect(page.locator(".cp-summary li").first).to_contain_text("Greedy makes a search error")
    expect(page.locator(".cp-summary li").last).to_contain_text(
        "a model error if the reference is right, not a search error"
    )
    expect(page.locator('.cp-mark[data-standing="search_error"]')).to_contain_text("missed the mode by")
    expect(page.locator(".cp-rows ins").first).to_be_visible()
    expect(page.locator(".cp-signature")).to_be_hidden()
    page.locator(".cp-signatures summary").click()
    expect(page.locator(".cp-signature")).to_contain_text("nrefs:1")


def open_rows(page: Page) -> None:
    """Open a row, and one with a search error where its search lost the better output."""
    expect(page.locator("#compare-trace")).to_be_hidden()
    page.get_by_role("button", name="Beam 4", exact=True).click()
    view = page.locator("#compare-trace .trace-view")
    expect(view).to_have_attribute("data-ready", "1")
    text = rows(page).nth(1).locator(".cp-text ins").inner_text()
    expect(view.locator(".tv-hypotheses li").first).to_contain_text(text)
    wrong = rows(page).filter(has=page.locator('.cp-mark[data-standing="search_error"]'))
    expect(page.locator(".cp-where")).to_have_count(wrong.count())
    wrong.first.locator(".cp-where").click()
    expect(view).to_have_attribute("data-restored", "true")
    expect(view.locator('[data-tab="tree"]')).to_have_attribute("aria-selected", "true")
    expect(view.locator(".tv-tree")).to_be_visible()
    expect(view.locator(".tv-lost")).to_be_visible()
    caption = view.locator("[data-caption=lost]")
    step = int(view.get_attribute("data-step") or 0) + 1
    assert re.search(rf"\b{step}\b", caption.inner_text())
    assert view.get_attribute("data-hypothesis") == "-1"


def ask_for_the_rank_of_a_reference_token(page: Page) -> None:
    expect(page.locator(".cp-chips")).to_be_hidden()  # until somebody asks
    page.get_by_text("The reference, scored by the model").click()
    chip = page.locator(".cp-chip").nth(1)
    chip.hover()
    expect(page.locator(".cp-detail")).to_contain_text("rank 1 of the vocabulary")
    page.locator(".cp-chip").first.focus()
    page.keyboard.press("ArrowRight")
    expect(chip).to_be_focused()
    expect(page.locator(".cp-detail")).to_contain_text("step 2")


def sort_rows(page: Page) -> None:
    header = page.locator('[data-key="logProb"]')
    header.click()
    sorted_by = page.locator('th[aria-sort="descending"]')
    expect(sorted_by).to_contain_text("log p")
    column = sorted_by.evaluate("cell => cell.cellIndex + 1")
    header.click()
    values = [
        float(text.replace("−", "-"))
        for text in page.locator(f".cp-rows tr td:nth-child({column})").all_text_contents()
    ]
    assert values == sorted(values)


def pin_the_first_row(page: Page) -> None:
    first = rows(page).first
    first.locator(".cp-pin").click()
    expect(first.locator(".cp-pin")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".cp-baseline")).to_contain_text("compared with Greedy")
    expect(first.locator("ins, del")).to_have_count(0)


def test_a_reader_finds_the_search_errors_of_an_example(
    page: Page, app_url: str, subtests: pytest.Subtests
) -> None:
    visit(page, app_url)
    with subtests.test("nothing is compared before the tab is opened"):
        expect(rows(page)).to_have_count(0)
    page.get_by_role("tab", name="Compare").click()
    wait_for_comparison(page, 0)
    expect(rows(page)).to_have_count(len(presets(ticked=True)))
    with subtests.test("the first screen shows the first rows"):
        expect_the_first_rows_on_the_first_screen(page)
    with subtests.test("the example has a search error and a model error"):
        expect_both_kinds_of_errors(page)
    with subtests.test("a row opens, and a search error at its step"):
        open_rows(page)
    with subtests.test("axe finds no serious violation"):
        assert serious_violations(page) == []
    with subtests.test("the tokens of the reference show their ranks"):
        ask_for_the_rank_of_a_reference_token(page)
    with subtests.test("a column sorts the rows"):
        sort_rows(page)
    with subtests.test("a pinned row is the one that the others are compared with"):
        pin_the_first_row(page)


def add_variants(page: Page) -> None:
    """Add a diverse beam search, whose groups must fit, and an exhaustive search, which fails."""
    tick(page, "Greedy")
    form = page.locator("#compare-strategies")
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


def expect_a_failed_row_among_others(page: Page) -> None:
    compare(page)
    expect(rows(page)).to_have_count(3)
    expect(rows(page).nth(1)).to_contain_text("Diverse beam 4/4")
    problem = page.locator('tr[data-state="failed"] .cp-problem')
    expect(problem).to_contain_text("exhaustive search scores")
    expect(page.locator('tr[data-state="done"]')).to_have_count(2)
    form = page.locator("#compare-strategies")
    form.get_by_role("button", name="Remove Exhaustive search").click()
    expect(form.locator("legend")).to_contain_text("2 of at most 12")


def compare_without_a_reference(page: Page) -> None:
    tick(page, "Greedy", "Beam 4")
    page.locator("#compare-reference textarea").fill("")
    compare(page)
    expect(rows(page)).to_have_count(2)
    assert page.locator(".cp-head").all_inner_texts()[-1].startswith("first difference")
    expect(page.locator('[data-key="bleu"]')).to_have_count(0)
    expect(page.locator(".cp-verdict")).to_be_hidden()
    expect(page.locator(".cp-baseline")).to_contain_text("compared with Greedy")


def save_the_table(page: Page, folder: Path) -> None:
    tick(page, "Greedy", "Exact search")
    page.locator("#compare-reference textarea").fill('=1+1, "sum"')
    compare(page)
    with page.expect_download() as download:
        page.locator(".cp-file").first.click()
    saved = folder / "comparison.csv"
    download.value.save_as(saved)
    raw = saved.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    assert b"\r\n" in raw
    lines = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"), newline="")))
    assert [line["strategy"] for line in lines] == ["Greedy", "Exact search"]
    greedy, exact = lines
    assert greedy["reference"] == '\'=1+1, "sum"'
    assert float(exact["log-probability (nats)"]) > float(greedy["log-probability (nats)"])
    assert float(greedy["nats below the best"]) > 0
    assert exact["BLEU"]
    take_pictures(page, folder)


def compare_hostile_texts(page: Page) -> None:
    """A dialog would fail the test at its end."""
    hostile = "<img src=x onerror=alert(1)> ${alert(1)} </s>"
    tick(page, "Greedy", "Beam 4")
    page.locator("#compare-text textarea").fill(hostile)
    page.locator("#compare-reference textarea").fill(hostile)
    compare(page)
    expect(page.locator(".cp-fact-text").first).to_have_text(hostile)
    assert page.locator("#comparison :is(img, script)").count() == 0


def test_a_reader_changes_what_is_compared(
    page: Page, app_url: str, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    page.goto(f"{app_url}?tab=compare")
    wait_for_comparison(page, 0)
    with subtests.test("added strategies are checked"):
        add_variants(page)
    with subtests.test("a failed row leaves the others"):
        expect_a_failed_row_among_others(page)
    with subtests.test("without a reference nothing is scored against one"):
        compare_without_a_reference(page)
    with subtests.test("the table is saved as CSV without formulas, and as a picture"):
        save_the_table(page, tmp_path)
    with subtests.test("text is shown as text"):
        compare_hostile_texts(page)
