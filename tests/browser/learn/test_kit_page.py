"""The teacher's kit on the page: the tests around the course, a recalled question, printed sheets."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations
from tests.browser.learn.dock import DOCK, dock_at
from tests.grids import full_only

NO_PRINTER = "window.print = () => {}"


def hand_in(page: Page, app_url: str, name: str, option: int) -> None:
    """Take a test, always ticking the option at one place."""
    page.goto(f"{app_url}?lesson={name}")
    questions = page.locator(f"{DOCK} fieldset")
    expect(questions).to_have_count(12)
    for question in questions.all():
        question.locator("input").nth(option).check()
    page.get_by_role("button", name="Hand in").click()


@pytest.mark.full
@pytest.mark.parametrize("width", [1440, *full_only([390])])
def test_two_tests_show_the_gain_and_are_saved_as_one_file(
    page: Page, app_url: str, width: int, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    hand_in(page, app_url, "pretest", 3)  # “I do not know”
    summary = page.locator(f"{DOCK} .ls-prediction .ls-outcome")
    expect(summary).to_contain_text("0 of 12 right (0%)")
    hand_in(page, app_url, "posttest", 1)
    expect(summary).to_contain_text("Right before: 0%")
    expect(summary).to_contain_text("95% interval")
    assert violations(page, DOCK) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="Save the result").click()
    file = tmp_path / "run.csv"
    download.value.save_as(file)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[1] for line in lines] == ["test", "before", "after"]
    other = tmp_path / "other.csv"
    code = lines[1].split(",")[0]
    other.write_text("\n".join(lines).replace(code, "other"), encoding="utf-8")
    page.get_by_text("For teachers: the gain of a class").click()
    page.locator(f"{DOCK} input[type=file]").set_input_files([file, other])
    expect(page.locator(f"{DOCK} .ls-prediction details")).to_contain_text("Browsers with both tests: 2")


@pytest.mark.full
def test_a_lesson_recalls_an_earlier_one_and_its_prediction(page: Page, app_url: str) -> None:
    page.add_init_script(
        """localStorage.setItem("unrolled-lessons",
             JSON.stringify({ kernels: { step: 4, guesses: { gap: 1 } } }))"""
    )
    page.goto(f"{app_url}?lesson=positions")
    dock_at(page, 1)
    page.locator(f"{DOCK} .ls-recall summary").click()
    recalled = page.locator(f"{DOCK} .ls-recall")
    expect(recalled).to_contain_text("A boxcar kernel reaches no key.")
    recalled.locator(".ls-option").nth(1).click()
    expect(recalled).to_contain_text("Right.")
    expect(recalled).to_contain_text("you predicted: The value of the nearer of the two")
    page.locator(f"{DOCK} .ls-next").click()
    dock_at(page, 2)
    expect(recalled).to_have_count(0)


@pytest.mark.full
def test_a_sheet_prints_questions_and_grids_and_the_teachers_one_answers(page: Page, app_url: str) -> None:
    page.add_init_script(NO_PRINTER)
    page.goto(f"{app_url}?lesson=heads")
    dock_at(page, 1)
    page.get_by_role("button", name="For teachers").click()
    expect(page.locator(f"{DOCK} .ls-teacher")).to_contain_text("Goal:")
    page.get_by_role("button", name="Print the questions").click()
    sheet = page.locator(".lesson-sheet")
    expect(sheet.locator("li").first).to_contain_text("Tengo un coche rojo.")
    expect(sheet.get_by_text("Tengo un coche rojo.")).to_have_count(1)
    grid = sheet.locator(".ls-paper").first
    assert grid.locator("tr").count() > 5
    assert grid.locator("td", has_text="×").count() == 0
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    expect(sheet).to_have_count(0)
    page.get_by_role("button", name="Print the answers").click()
    expect(sheet).to_contain_text("A misconception:")
    rows = sheet.locator(".ls-paper").first.locator("tr")
    assert rows.locator("td", has_text="×").count() == rows.count() - 1
