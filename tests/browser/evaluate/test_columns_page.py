"""The roles of a table's columns: shown before work starts, and changed by the reader."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.accessibility import serious_violations
from tests.browser.evaluate.evaluate_page import evaluate, wait_for_evaluation
from tests.browser.evaluate.test_evaluate_page import paste
from tests.browser.windows import PATIENCE

TABLE = (
    "source_lang,source,reference,ours\n"
    "es,Me gusta la música.,I like the music.,I like music.\n"
    "es,Bebo café.,I drink coffee.,I drink coffee.\n"
    "es,¿Dónde está?,Where is it?,Where?\n"
    "es,Adiós.,Goodbye.,So long.\n"
)


def expect_columns(page: Page, area: str, roles: list[str]) -> None:
    """Expect the roles above the rows of a table."""
    expect(page.locator(f"{area} .cl[data-state='table']")).to_be_visible(timeout=PATIENCE)
    heads = page.locator(f"{area} select")
    expect(heads).to_have_count(len(roles))
    for number, role in enumerate(roles):
        expect(heads.nth(number)).to_have_value(role)


def uploaded(page: Page, folder: Path, kinds: str, area: str, text: str = TABLE) -> None:
    path = folder / "test.csv"
    path.write_text(text, encoding="utf-8")
    page.locator(kinds).get_by_label("File").check(force=True)
    page.locator(f"{area} input[type=file]").set_input_files(path)


def test_a_reader_sees_and_changes_the_reading_of_a_test_sets_columns(
    page: Page, app_url: str, tmp_path: Path
) -> None:
    page.goto(f"{app_url}?tab=evaluate")
    wait_for_evaluation(page)
    uploaded(page, tmp_path, "#evaluate-kind", "#evaluate-file")
    expect_columns(page, "#evaluate-columns", ["", "source", "reference", "output"])
    expect(page.locator("#evaluate-columns tbody tr")).to_have_count(3)
    assert serious_violations(page) == []
    page.locator("#evaluate-columns select").nth(3).select_option("")
    page.locator("#evaluate-columns select").nth(2).select_option("source")
    expect_columns(page, "#evaluate-columns", ["", "reference", "source", ""])
    view = evaluate(page)
    expect(view.locator(".ev-row")).to_have_count(4)
    expect(view).to_contain_text("Goodbye.")
    expect(view.locator(".ev-row", has_text="So long.")).to_have_count(0)


def test_a_reader_says_whether_the_first_line_names_the_columns(
    page: Page, app_url: str, tmp_path: Path
) -> None:
    page.goto(f"{app_url}?tab=evaluate")
    wait_for_evaluation(page)
    text = "Kérdés,Válasz\nMe gusta la música.,I like the music.\nBebo café.,I drink coffee.\n"
    uploaded(page, tmp_path, "#evaluate-kind", "#evaluate-file", text)
    expect_columns(page, "#evaluate-columns", ["source", "reference"])
    box = page.locator("#evaluate-columns").get_by_label("The first line names the columns")
    expect(box).not_to_be_checked()
    box.check()
    expect(page.locator("#evaluate-columns th")).to_contain_text(["Kérdés", "Válasz"])
    expect(page.locator("#evaluate-columns tbody tr")).to_have_count(2)
    assert serious_violations(page) == []
    expect(evaluate(page).locator(".ev-row")).to_have_count(2)
    box.uncheck()
    expect(evaluate(page).locator(".ev-row")).to_have_count(3)


def test_pasted_lines_show_their_columns_at_once(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?tab=evaluate")
    wait_for_evaluation(page)
    paste(page, "hola\thello\nadiós\tgoodbye")
    expect_columns(page, "#evaluate-columns", ["source", "reference"])
    paste(page, "1\t2\n3\t4")
    expect(page.locator("#evaluate-columns .cl[data-state='problem']")).to_be_visible()
    page.locator("#evaluate-kind").get_by_label("Example").check(force=True)
    expect(page.locator("#evaluate-columns .cl")).to_be_hidden()


def test_training_data_show_their_columns(page: Page, app_url: str, tmp_path: Path) -> None:
    page.goto(f"{app_url}?tab=training")
    uploaded(page, tmp_path, "#train-kind", "#train-file")
    expect_columns(page, "#train-columns", ["", "source", "reference", ""])
    page.locator("#train-columns select").nth(3).select_option("reference")
    page.locator("#train-columns select").nth(2).select_option("")
    expect(page.locator("#train-preview .dp[data-state='data']")).to_contain_text("I like music.")
    expect(page.locator("#train-preview")).not_to_contain_text("I like the music.")
