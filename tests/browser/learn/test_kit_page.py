"""The teacher's kit on the page: the tests around the course, and a recalled question."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import violations
from tests.browser.learn.dock import DOCK, dock_at

KERNELS_BEFORE = """localStorage.setItem("unrolled-lessons",
  JSON.stringify({ kernels: { step: 4, guesses: { wide: 3 } } }))"""


def hand_in(page: Page, app_url: str, name: str, option: int) -> None:
    """Take a test, always ticking the option at one place."""
    page.goto(f"{app_url}?lesson={name}")
    questions = page.locator(f"{DOCK} fieldset")
    expect(questions).to_have_count(12)
    for question in questions.all():
        question.locator("input").nth(option).check()
    page.get_by_role("button", name="Hand in").click()


def open_lesson(page: Page, name: str) -> None:
    """Open a lesson from the course when another one is open."""
    page.get_by_role("button", name="Close the lesson").click()
    page.get_by_role("tab", name="Learn").click()
    page.locator(f".co-lesson[data-lesson={name}]").click()
    expect(page.locator(f"{DOCK}[data-lesson={name}]")).to_be_visible()
    dock_at(page, 1)


@pytest.mark.full
def test_a_teacher_measures_the_gain(
    page: Page, app_url: str, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    hand_in(page, app_url, "pretest", 3)  # “I do not know”
    summary = page.locator(f"{DOCK} .ls-prediction .ls-outcome")
    with subtests.test("a test says how many answers are right"):
        expect(summary).to_contain_text("0 of 12 right (0%)")
    page.set_viewport_size({"width": 390, "height": 900})
    hand_in(page, app_url, "posttest", 1)
    for width in (390, 1440):
        with subtests.test("a second test shows the gain", width=width):
            page.set_viewport_size({"width": width, "height": 900})
            expect(summary).to_contain_text("Right before: 0%")
            expect(summary).to_contain_text("95% interval")
            assert violations(page, DOCK) == []
    with subtests.test("both are saved as one file, and files of a class are counted"):
        save_and_count(page, tmp_path)
    page.evaluate(KERNELS_BEFORE)
    open_lesson(page, "positions")
    with subtests.test("a lesson recalls an earlier one and its prediction"):
        recall(page)
    with subtests.test("a teacher reads the aim of the lesson, and nothing is printed"):
        page.get_by_role("button", name="For teachers").click()
        expect(page.locator(f"{DOCK} .ls-teacher")).to_contain_text("Goal:")
        expect(page.locator(f"{DOCK} .ls-teacher button")).to_have_count(0)


def save_and_count(page: Page, folder: Path) -> None:
    with page.expect_download() as download:
        page.get_by_role("link", name="Save the result").click()
    file, other = folder / "run.csv", folder / "other.csv"
    download.value.save_as(file)
    lines = file.read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[1] for line in lines] == ["test", "before", "after"]
    code = lines[1].split(",")[0]
    other.write_text("\n".join(lines).replace(code, "other"), encoding="utf-8")
    page.get_by_text("For teachers: the gain of a class").click()
    page.locator(f"{DOCK} input[type=file]").set_input_files([file, other])
    expect(page.locator(f"{DOCK} .ls-prediction details")).to_contain_text("Browsers with both tests: 2")


def recall(page: Page) -> None:
    page.locator(f"{DOCK} .ls-recall summary").click()
    recalled = page.locator(f"{DOCK} .ls-recall")
    expect(recalled).to_contain_text("A Gaussian kernel has a very large bandwidth.")
    recalled.locator(".ls-option").nth(1).click()
    expect(recalled).to_contain_text("Right.")
    expect(recalled).to_contain_text("you predicted: 3")
    page.locator(f"{DOCK} .ls-next").click()
    dock_at(page, 2)
    expect(recalled).to_have_count(0)
