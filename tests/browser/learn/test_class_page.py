"""A class of four browsers and its teacher's: from the link to the table of results."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Response, expect

from demo.learn.lessons import lesson_called
from tests.browser.accessibility import violations
from tests.browser.learn.dock import DOCK, GREEDY, dock_at

PANEL = f"{DOCK} .ls-class:not(.ls-teacher)"  # the other one is the kit of a teacher
OUTCOME = f"{DOCK} .ls-outcome"
SUBMIT = f"{DOCK} .ls-prediction button.ls-do"
# Over http in a local network, where a class often is, a browser has neither of these.
INSECURE = "delete Crypto.prototype.randomUUID; delete Navigator.prototype.clipboard"
IS_WHOLE = "field => field.scrollHeight <= field.clientHeight + 2 && field.scrollWidth <= field.clientWidth"
IN_CLASS = "Class: pupils here {pupils}, predictions {predicted}"
LAST = len(GREEDY.steps)


def open_class(page: Page, app_url: str, lesson: str, step: int = 1) -> str:
    """Open a class at a step of a lesson, and return its link."""
    page.goto(f"{app_url}?lesson={lesson}&step={step}")
    dock_at(page, step)
    page.get_by_role("button", name="Predict with a class").click()
    link = page.get_by_label("Link for the class")
    expect(link).to_be_visible()
    return link.input_value()


def counted(page: Page, pupils: int, predicted: int) -> None:
    expect(page.locator(f"{PANEL} > p[role=status]")).to_have_text(
        IN_CLASS.format(pupils=pupils, predicted=predicted)
    )


def choose(pupil: Page, option: int) -> None:
    pupil.locator(f"{DOCK} .ls-option").nth(option).click()
    expect(pupil.locator(OUTCOME)).to_contain_text("Your teacher reveals")


def guess(pupil: Page, number: str) -> None:
    pupil.locator(f"{DOCK} input[type=number]").fill(number)
    pupil.locator(SUBMIT).click()
    expect(pupil.locator(OUTCOME)).to_contain_text("Your teacher reveals")


def the_right_option_is_marked(page: Page) -> None:
    for option in (f"{DOCK} .ls-option.ls-right", f"{PANEL} .ls-bar.ls-right"):
        expect(page.locator(option)).to_have_count(1)
        expect(page.locator(option)).to_contain_text("what happened")


def read_and_copy(teacher: Page, app_url: str, link: str) -> None:
    assert link.startswith(f"{app_url}?class=")
    panel = teacher.locator(PANEL)
    expect(panel).to_contain_text("Pupils cannot reach this address")  # it is 127.0.0.1
    code = teacher.get_by_role("img", name="The link for a class as a QR code")
    for width in (390, 1440):
        teacher.set_viewport_size({"width": width, "height": 900})
        assert teacher.get_by_label("Link for the class").evaluate(IS_WHOLE)
        expect(code).to_be_visible()
        assert code.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
        panel.get_by_role("button", name="Copy link").click()
        expect(panel).to_contain_text("Copied")
        assert violations(teacher, DOCK) == []


def run_ahead(ahead: Page) -> None:
    """Leave the step of the class, and look at the end of the lesson for an answer."""
    for step in (2, 3):
        ahead.locator(f"{DOCK} .ls-next").click()
        dock_at(ahead, step)
    expect(ahead.get_by_role("button", name="The class is at step 1: go there")).to_be_visible()
    end = at_end(ahead)
    expect(end).to_contain_text("Your teacher reveals the answer.")
    expect(end).not_to_contain_text("right:")


def at_end(pupil: Page) -> Locator:
    """The page after the last step."""
    pupil.locator(f"{DOCK} .ls-dot").last.click()
    dock_at(pupil, LAST)
    pupil.locator(f"{DOCK} .ls-next").click()
    return pupil.locator(f"{DOCK} .ls-end").first


def reload_all(teacher: Page, reloading: Page, link: str) -> Page:
    """Reload a pupil's page, close the teacher's tab, and open the address of the class anew."""
    reloading.reload()
    dock_at(reloading, 1)
    expect(reloading.locator(OUTCOME)).to_contain_text("Your teacher reveals")
    counted(teacher, 3, 3)
    page = teacher.context.new_page()
    teacher.close()
    page.goto(link)
    dock_at(page, 1)
    expect(page.locator(f"{PANEL} .ls-bar b")).to_have_text(["2", "1"])
    return page


def reveal(teacher: Page, reloading: Page, wrong: Page) -> None:
    teacher.get_by_role("button", name="Reveal to all").click()
    expect(teacher.locator(OUTCOME)).to_contain_text("The model gives its sentence a probability of")
    expect(reloading.locator(OUTCOME)).to_contain_text("You predicted it.")
    expect(wrong.locator(OUTCOME)).to_contain_text("You expected something else.")
    for reader in (teacher, reloading, wrong):
        the_right_option_is_marked(reader)
        expect(reader.locator(f"{PANEL} .ls-bar b")).to_have_text(["2", "1"])


def go_on(teacher: Page, pupils: list[Page]) -> None:
    """Lead the class to the second step, also the one who ran ahead."""
    teacher.locator(f"{DOCK} .ls-next").click()
    for pupil in pupils:
        dock_at(pupil, 2)
        expect(pupil.get_by_role("button", name="The class is at step")).to_be_hidden()
        expect(pupil.get_by_role("button", name="Reveal to all")).to_be_hidden()


def guess_numbers(teacher: Page, pupils: list[Page], late: Page) -> None:
    for pupil, number in zip(pupils, ("27", "28", "50"), strict=True):
        guess(pupil, number)
    counted(teacher, 4, 3)
    names = teacher.locator(f"{PANEL} .ls-bar > span:first-child")
    expect(names).to_have_text([*(f"{first} – {first + 4}" for first in range(0, 50, 5)), "50"])
    teacher.get_by_role("button", name="Reveal to all").click()
    expect(late.locator(OUTCOME)).to_contain_text("28.2")  # even without a prediction
    right = teacher.locator(f"{PANEL} .ls-bar.ls-right")
    expect(right).to_have_count(1)
    expect(right).to_contain_text("25 – 29")
    expect(right.locator("b")).to_have_text("2")
    assert violations(teacher, DOCK) == []


def leave_a_step_unrevealed(teacher: Page, pupil: Page) -> None:
    """Go on without revealing the third step: its answer is at the end as soon as the class has left it."""
    teacher.locator(f"{DOCK} .ls-next").click()
    dock_at(pupil, 3)
    guess(pupil, "12")
    pairs = at_end(pupil).locator("li")
    expect(pairs).to_have_count(2)
    teacher.locator(f"{DOCK} .ls-next").click()
    dock_at(pupil, 4)
    at_end(pupil)
    expect(pairs).to_have_count(3)
    expect(pairs.last).to_contain_text("right:")


@pytest.mark.full
def test_four_browsers_follow_one_class(
    page: Page, app_url: str, open_window: Callable[..., Page], subtests: pytest.Subtests
) -> None:
    teacher, (reloading, wrong, ahead) = page, [open_window() for _ in range(3)]
    pupils = [reloading, wrong, ahead]
    for reader in (teacher, *pupils):
        reader.add_init_script(INSECURE)
    link = open_class(teacher, app_url, "greedy")
    with subtests.test("the link can be read, copied and scanned"):
        read_and_copy(teacher, app_url, link)
    for pupil in pupils:
        pupil.goto(link.lower() if pupil is wrong else link)
        dock_at(pupil, 1)
        choose(pupil, 1 if pupil is wrong else 0)
    with subtests.test("the teacher alone sees the predictions"):
        counted(teacher, 3, 3)
        expect(teacher.locator(f"{PANEL} .ls-bar b")).to_have_text(["2", "1"])
        expect(reloading.locator(f"{PANEL} .ls-bar")).to_have_count(0)  # until it is revealed
    with subtests.test("one who runs ahead finds no answer"):
        run_ahead(ahead)
    with subtests.test("a reload loses nothing, the teacher's neither"):
        teacher = reload_all(teacher, reloading, link)
    with subtests.test("the answer is revealed to all"):
        reveal(teacher, reloading, wrong)
    with subtests.test("the teacher leads all to the next step"):
        go_on(teacher, pupils)
    late = open_window()
    late.goto(link)
    dock_at(late, 2)
    with subtests.test("numbers are counted in ranges, and a late pupil sees the answer"):
        guess_numbers(teacher, pupils, late)
    with subtests.test("the results are saved"):
        the_results_are_saved(teacher)
    with subtests.test("the end has the answers that the class has left behind"):
        leave_a_step_unrevealed(teacher, ahead)


def the_results_are_saved(teacher: Page) -> None:
    with teacher.expect_download() as download:
        teacher.get_by_role("button", name="Results as CSV").click()
    rows = rows_of(download.value.path())
    assert [(row["answer"], row["count"]) for row in rows if row["right"] == "yes"] == [
        (english_option("greedy", 1, 0), "2"),
        ("25 – 29", "2"),
    ]
    assert sum(int(row["count"]) for row in rows) == 3 + 3


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file, which begins with a byte order mark."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def english_option(name: str, step: int, index: int) -> str:
    lesson = lesson_called(name)
    assert lesson is not None
    prediction = lesson.steps[step - 1].prediction
    assert prediction is not None
    return prediction.options[index].text["en"]


def is_about_class(answer: Response) -> bool:
    return '"class_l' in (answer.request.post_data or "")  # class_look, class_lead


@pytest.mark.full
def test_two_tabs_of_a_teacher_lead_one_class(page: Page, app_url: str) -> None:
    link = open_class(page, app_url, "greedy", step=3)
    other = page.context.new_page()
    other.goto(link)
    dock_at(other, 3)  # the class begins where its teacher was
    expect(other.get_by_role("button", name="Reveal to all")).to_be_visible()
    other.locator(f"{DOCK} .ls-back").click()
    dock_at(page, 2)
    for tab in (page, other) * 2:  # each asks twice where the class is
        with tab.expect_response(is_about_class):
            pass
    dock_at(page, 2)
    dock_at(other, 2)
    page.locator(f"{DOCK} .ls-next").click()
    dock_at(other, 3)


@pytest.mark.full
def test_a_typed_word_is_shown_in_the_models_distribution(
    page: Page, app_url: str, open_window: Callable[..., Page]
) -> None:
    lesson = lesson_called("ngrams")
    assert lesson is not None
    step = next(
        number
        for number, step in enumerate(lesson.steps, 1)
        if step.prediction is not None and step.prediction.kind == "type"
    )
    link = open_class(page, app_url, "ngrams", step)
    pupils = {word: open_window() for word in ("Mat ", "rug", "sofa")}
    for word, pupil in pupils.items():
        pupil.goto(link)
        dock_at(pupil, step)
        pupil.get_by_role("textbox", name="Your prediction").fill(word)
        pupil.locator(SUBMIT).click()
        expect(pupil.locator(OUTCOME)).to_contain_text("Your teacher reveals")
    counted(page, 3, 3)
    bars = page.locator(f"{PANEL} .ls-bar")
    expect(bars.locator("b")).to_have_text(["1", "1", "1"])
    page.get_by_role("button", name="Reveal to all").click()
    expect(bars.locator("> span:first-child")).to_have_text(["mat", "cat", "rug", "sofa"])
    expect(bars.locator("b")).to_have_text(["1 · 50%", "0 · 25%", "1 · 25%", "1"])
    expect(pupils["Mat "].locator(OUTCOME)).to_contain_text("You predicted it.")
    expect(pupils["rug"].locator(OUTCOME)).to_contain_text("The model gives “rug” 25%.")
    expect(pupils["sofa"].locator(OUTCOME)).to_contain_text("“sofa” is not among the most probable words")
    expect(page.locator(f"{DOCK} .ls-prediction .ls-bar b")).to_have_text(["50%", "25%", "25%"])
