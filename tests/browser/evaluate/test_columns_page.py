"""The roles of a table's columns: shown before work starts, and changed by the reader."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import serious_violations, violations
from tests.browser.columns import TABLE, expect_columns, upload
from tests.browser.evaluate.evaluate_page import evaluate, wait_for_evaluation
from tests.browser.evaluate.test_evaluate_page import paste

COLUMNS = "#evaluate-columns"


def paste_lines(page: Page) -> None:
    paste(page, "hola\thello\nadiós\tgoodbye")
    expect_columns(page, COLUMNS, ["source", "reference"])
    paste(page, "1\t2\n3\t4")
    expect(page.locator(f"{COLUMNS} .cl[data-state='problem']")).to_be_visible()
    page.locator("#evaluate-kind").get_by_label("Example").check(force=True)
    expect(page.locator(f"{COLUMNS} .cl")).to_be_hidden()


def change_the_roles(page: Page, folder: Path) -> None:
    """See the columns of a test set, and read it the other way round, without the outputs."""
    page.locator("#evaluate-kind").get_by_label("File").check(force=True)
    upload(page, "#evaluate-file", folder / "test.csv", TABLE)
    expect_columns(page, COLUMNS, ["", "source", "reference", "output"])
    expect(page.locator(f"{COLUMNS} tbody tr")).to_have_count(3)
    assert serious_violations(page) == []
    page.locator(f"{COLUMNS} select").nth(3).select_option("")
    page.locator(f"{COLUMNS} select").nth(2).select_option("source")
    expect_columns(page, COLUMNS, ["", "reference", "source", ""])
    view = evaluate(page)
    expect(view.locator(".ev-row")).to_have_count(4)
    expect(view).to_contain_text("Goodbye.")
    expect(view.locator(".ev-row", has_text="So long.")).to_have_count(0)


def say_whether_the_first_line_names_the_columns(page: Page, folder: Path) -> None:
    page.locator("#evaluate-file").get_by_label("Clear").click()
    text = "Kérdés,Válasz\nMe gusta la música.,I like the music.\nBebo café.,I drink coffee.\n"
    upload(page, "#evaluate-file", folder / "other.csv", text)
    expect_columns(page, COLUMNS, ["source", "reference"])
    box = page.locator(COLUMNS).get_by_label("The first line names the columns")
    expect(box).not_to_be_checked()
    box.check()
    expect(page.locator(f"{COLUMNS} th")).to_contain_text(["Kérdés", "Válasz"])
    expect(page.locator(f"{COLUMNS} tbody tr")).to_have_count(2)
    assert violations(page, COLUMNS) == []
    expect(evaluate(page).locator(".ev-row")).to_have_count(2)
    box.uncheck()
    expect(evaluate(page).locator(".ev-row")).to_have_count(3)


def test_a_reader_sees_and_changes_how_a_test_set_is_read(
    page: Page, app_url: str, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    page.goto(f"{app_url}?tab=evaluate&part=widths")
    wait_for_evaluation(page)
    with subtests.test("pasted lines show their columns at once"):
        paste_lines(page)
    with subtests.test("the roles of the columns are shown and changed"):
        change_the_roles(page, tmp_path)
    with subtests.test("the first line names the columns or is a pair"):
        say_whether_the_first_line_names_the_columns(page, tmp_path)
