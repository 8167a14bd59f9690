"""Lessons for pupils: predictions, tasks and questions, by pointer or keyboard, on a page of any width."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from demo.learn.lessons import questions
from demo.learn.views import question
from tests.browser.accessibility import violations
from tests.browser.decode_page import show_pane
from tests.browser.learn.dock import DOCK, GREEDY, LESSONS, dock_at, shows
from tests.grids import full_only

OUTPUT = "#trace .tv-out"
# A busy browser may lay out the page before it reports the new size.
UNREPORTED = """addEventListener("resize", (event) => {
  if (!window.isReported) event.stopImmediatePropagation();
}, true)"""
# Whether the page has been laid out for a phone: one pane is on show, and the lesson stands in its column.
ONE_PANE = """() => {
  const panes = [...document.querySelectorAll("#trace .tv-pane")];
  const seen = panes.filter((pane) => pane.getClientRects().length);
  return seen.length === 1 && document.querySelector("#tabs aside.lesson") !== null;
}"""
# Counts how often the pointer has looked for its part, which it then shows or hides.
COUNT_LOOKS = """() => {
  window.looks = 0;
  const count = (records) => (window.looks += records.length);
  const outline = document.querySelector(".lesson-outline");
  new MutationObserver(count).observe(outline, { attributeFilter: ["hidden"] });
}"""
ENOUGH_LOOKS = 10  # the pointer opens a pane at its sixth


def test_a_lesson_follows_a_page_that_becomes_narrow(
    page: Page, app_url: str, subtests: pytest.Subtests
) -> None:
    page.add_init_script(UNREPORTED)
    page.goto(f"{app_url}?lesson=greedy&step=3")
    # That of a tree needs a pane that a phone shows on request; the output is on every page.
    for number in (3, 5):
        with subtests.test("the outlined part is shown again", step=number):
            page.set_viewport_size({"width": 1440, "height": 900})
            page.locator(f"{DOCK} .ls-dot").nth(number - 1).click()
            shows(page, GREEDY, number)
            page.set_viewport_size({"width": 390, "height": 900})
            page.wait_for_function(ONE_PANE)
            shows(page, GREEDY, number)
    with subtests.test("axe finds nothing on a phone"):
        assert violations(page, DOCK) == []
    with subtests.test("the pane that the reader chose stays"):
        page.evaluate("window.isReported = true")
        page.set_viewport_size({"width": 600, "height": 900})
        shows(page, GREEDY, 5)
        switch = page.locator("#trace [data-pane-shown=left]")
        show_pane(page.locator("#trace"), "left")
        expect(page.locator(".lesson-outline")).to_be_hidden()
        page.set_viewport_size({"width": 390, "height": 900})
        page.wait_for_function("document.documentElement.clientWidth === 390")
        page.evaluate(COUNT_LOOKS)
        page.wait_for_function("most => looks > most", arg=ENOUGH_LOOKS)
        expect(switch).to_have_attribute("aria-pressed", "true")
    with subtests.test("a link opens the lesson on a phone"):
        page.reload()
        shows(page, GREEDY, 5)
        assert violations(page, DOCK) == []
    with subtests.test("an unknown lesson is reported, and the course opens"):
        page.goto(f"{app_url}?lesson=gredy")
        expect(page.locator(".link-notice")).to_contain_text("did you mean greedy?")
        expect(page.locator(".co-chapters .co-lesson")).to_have_count(len(LESSONS))


def test_a_reader_predicts_does_a_task_and_closes_the_lesson(
    page: Page, app_url: str, subtests: pytest.Subtests
) -> None:
    page.goto(f"{app_url}?lesson=greedy&step=2")
    dock_at(page, 2)
    with subtests.test("a prediction is shown beside the model's answer and kept"):
        predict_and_reload(page)
    page.locator(f"{DOCK} .ls-next").click()
    with subtests.test("a task is done by an action, and Back opens the earlier state"):
        do_a_task_and_go_back(page)
    page.locator(f"{DOCK} .ls-next").click()
    with subtests.test("closing the lesson changes nothing else"):
        close_the_lesson(page)


def predict_and_reload(page: Page) -> None:
    page.locator(f"{DOCK} input[type=number]").fill("12")
    page.get_by_role("button", name="Predict", exact=True).click()
    outcome = page.locator(f"{DOCK} .ls-outcome")
    expect(outcome).to_contain_text("You said 12; it was 28.2")
    expect(page.locator(f"{DOCK} .ls-next")).to_have_text("Next")
    page.reload()
    dock_at(page, 2)
    expect(outcome).to_contain_text("You said 12")


def do_a_task_and_go_back(page: Page) -> None:
    dock_at(page, 3)
    task = page.locator(f"{DOCK} .ls-task")
    expect(task).to_contain_text("Your turn")
    page.get_by_role("button", name="Predict", exact=True).click()  # the output is covered until then
    expect(page.locator(f"{DOCK} .ls-outcome")).to_contain_text("it was")
    page.locator(OUTPUT).nth(11).click()
    expect(task).to_contain_text("Done")
    reopens(page, 3, "step=12")
    expect(task).to_contain_text("Done")
    page.locator(f"{DOCK} .ls-next").click()
    dock_at(page, 4)
    assert "lesson=greedy&step=4" in page.url
    expect(page.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#comparison")).to_contain_text("It's been a long time")
    text = page.locator("#compare-text textarea")
    text.fill("Hola.")
    reopens(page, 4, "text=Hola.")
    expect(text).to_have_value("Hola.")
    page.locator(f"{DOCK} .ls-back").click()
    dock_at(page, 3)
    expect(page.get_by_role("tab", name="Decode")).to_have_attribute("aria-selected", "true")
    page.go_back()
    dock_at(page, 4)


def reopens(page: Page, step: int, state: str) -> None:
    """The address holds what the reader has changed, and a reload shows it again beside the step."""
    page.wait_for_function("text => location.search.includes(text)", arg=state)
    assert f"lesson=greedy:{step}&" in page.url
    page.reload()
    dock_at(page, step)
    page.wait_for_function("text => location.search.includes(text)", arg=state)


def close_the_lesson(page: Page) -> None:
    dock_at(page, 5)
    page.wait_for_function("document.querySelectorAll('#trace .tv-out').length >= 15")
    page.get_by_role("button", name="Close the lesson").click()
    expect(page.locator(DOCK)).to_be_hidden()
    page.wait_for_function("!location.search.includes('lesson')")
    assert "Hace%20mucho" in page.url
    expect(page.locator(".lesson-outline")).to_have_count(0)


def test_a_question_opens_its_state_after_any_other_question(app_page: Page) -> None:
    titles = [question(step) for step in questions().steps]
    for index in (6, 10):
        app_page.locator(".glossary-open").click()
        app_page.get_by_role("button", name="Questions to begin with").click()
        app_page.get_by_role("button", name=titles[index]).click()
        expect(app_page.locator(f"{DOCK} .ls-text")).to_contain_text(titles[index])
    expect(app_page.locator("#trace .tv-strip")).to_contain_text("won")
    expect(app_page.locator("#trace [role=tab][data-tab=mass]")).to_have_attribute("aria-selected", "true")


@pytest.mark.full
def test_a_lesson_can_be_followed_by_keyboard_alone(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?lesson=greedy")
    dock_at(page, 1)
    page.locator(f"{DOCK} .ls-option").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(f"{DOCK} .ls-outcome p")).to_have_count(2)
    for number in range(2, len(GREEDY.steps) + 1):
        page.locator(f"{DOCK} .ls-next").focus()
        page.keyboard.press("Enter")
        dock_at(page, number)
    page.keyboard.press("Tab")  # nothing holds the focus
    assert page.evaluate("!document.activeElement.matches('aside.lesson .ls-next')")
    page.locator(f"{DOCK} .ls-next").focus()
    page.keyboard.press("Enter")  # the end: own predictions beside what was right
    pair = page.locator(f"{DOCK} .ls-end").first.locator("li")
    expect(pair).to_have_count(1)
    expect(pair.locator(".ls-pair > span")).to_contain_text(["you: No, the model", "right: No, the model"])
    expect(page.locator(f"{DOCK} .ls-quiz")).to_have_count(2)
    page.locator(f"{DOCK} .ls-next").focus()
    page.keyboard.press("Enter")
    expect(page.locator(DOCK)).to_be_hidden()
    expect(page.get_by_role("tab", name="Learn")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".co-lesson[data-lesson=greedy] .co-mark")).to_have_text("✓")


@pytest.mark.full
def test_opening_a_step_does_not_count_as_an_action_of_the_reader(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?lesson=lookup&step=8")
    dock_at(page, 8)
    page.locator(f"{DOCK} .ls-next").click()
    dock_at(page, 9)
    box = page.get_by_label("your text")
    expect(box).to_have_value("hot cold Monday sister")  # step 8 had another text
    task = page.locator(f"{DOCK} .ls-task")
    expect(task).to_contain_text("Your turn")
    page.reload()
    expect(box).to_have_value("hot cold Monday sister")
    expect(task).to_contain_text("Your turn")
    box.fill("red blue")
    box.press("Tab")
    expect(task).to_contain_text("Done")
    page.wait_for_function("location.search.includes('red%2520blue')")
    page.reload()
    expect(box).to_have_value("red blue")
    expect(task).to_contain_text("Done")


@pytest.mark.parametrize(("code", "word"), [("es", "Saltar"), *full_only([("zh", "跳过")])])
def test_a_lesson_speaks_the_language_of_the_page(page: Page, app_url: str, code: str, word: str) -> None:
    page.goto(f"{app_url}?lesson=greedy&__lang={code}")
    dock_at(page, 1)
    expect(page.locator(f"{DOCK} h2")).to_have_text(GREEDY.title[code])
    expect(page.locator(f"{DOCK} .ls-text")).to_have_text(GREEDY.steps[0].text[code])
    expect(page.locator(f"{DOCK} .ls-next")).to_have_text(word)
