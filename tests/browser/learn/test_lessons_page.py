"""Lessons for pupils and teachers: by a link, by the keyboard, on a phone, alone and as a class."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from demo.lessons.lesson import Lesson
from tests.browser.accessibility import violations
from tests.browser.learn.dock import DOCK, GREEDY, LESSONS, dock_at, shows
from tests.grids import full_only, named

OUTPUT = "#trace .tv-out"
BY_NAME = {lesson.id: lesson for lesson in LESSONS}
SAMPLE = ("tour", "greedy", "kernels")  # the first one, Compare, and a lab


@pytest.mark.parametrize("lesson", named(BY_NAME, SAMPLE))
@pytest.mark.parametrize(
    ("width", "onward"), [(1440, True), *full_only([(390, False)])], ids=["screen", "phone"]
)
def test_every_step_shows_its_subject(
    page: Page, app_url: str, lesson: Lesson, width: int, onward: bool
) -> None:
    """A screen goes from the first step to the last, a phone from the last to the first."""
    numbers = range(1, len(lesson.steps) + 1)
    way = numbers if onward else numbers[::-1]
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{app_url}?lesson={lesson.id}&step={way[0]}")
    for number in way:
        shows(page, lesson, number)
        page.wait_for_function("most => document.documentElement.scrollWidth <= most", arg=width)
        if number != way[-1]:
            page.locator(f"{DOCK} .ls-{'next' if onward else 'back'}").click()


def test_a_comparison_waits_for_its_own_controls(page: Page, app_url: str) -> None:
    """The controls of another tab may report while the comparison waits for its own."""
    lesson, number = next(
        (lesson, number)
        for lesson in LESSONS
        for number, step in enumerate(lesson.steps, 1)
        if number > 1 and "tab=compare" in step.link
    )
    page.goto(f"{app_url}?lesson={lesson.id}&step={number - 1}")
    shows(page, lesson, number - 1)
    page.evaluate("""() => {
      const { gather } = window.unrolled;
      const later = (...values) => setTimeout(gather, 300, ...values);
      window.unrolled.gather = (...values) => (values[0] === "compare" ? later : gather)(...values);
      document.addEventListener("unrolled:gather", () =>
        document.dispatchEvent(new CustomEvent("unrolled:gathered", { detail: "decode" })));
    }""")
    with page.expect_event("console", lambda message: message.text == "gathered"):
        page.evaluate("""document.addEventListener("unrolled:gathered",
          ({ detail }) => detail === "compare" && console.log("gathered"))""")
        page.locator(f"{DOCK} .ls-next").click()
    shows(page, lesson, number)


@pytest.mark.parametrize("lesson", named(BY_NAME, ["greedy"]))
@pytest.mark.parametrize("width", [1440, 390])
def test_axe_finds_nothing_in_a_lesson(page: Page, app_url: str, lesson: Lesson, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{app_url}?lesson={lesson.id}&step={len(lesson.steps)}")
    dock_at(page, len(lesson.steps))
    assert violations(page, DOCK) == []


# Whether the page has been laid out for a phone: one pane is on show, and the lesson stands in its column.
ONE_PANE = """() => {
  const panes = [...document.querySelectorAll("#trace .tv-pane")];
  const seen = panes.filter((pane) => pane.getClientRects().length);
  return seen.length === 1 && document.querySelector("#tabs aside.lesson") !== null;
}"""


@pytest.mark.parametrize("number", [5, *full_only([3])])
def test_the_outlined_part_is_shown_again_after_the_page_becomes_narrow(
    page: Page, app_url: str, number: int
) -> None:
    """The outline of an output is on every page; that of a tree needs a pane that a phone shows on request.

    A busy browser may lay out the page before it reports the new size.
    """
    page.add_init_script("addEventListener('resize', (event) => event.stopImmediatePropagation(), true)")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{app_url}?lesson=greedy&step={number}")
    shows(page, GREEDY, number)
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_function(ONE_PANE)
    shows(page, GREEDY, number)


def test_the_readers_pane_stays_after_the_page_becomes_narrower(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 600, "height": 900})
    page.goto(f"{app_url}?lesson=greedy&step=5")
    shows(page, GREEDY, 5)
    switch = page.locator("#trace [data-pane-shown=left]")
    switch.click()
    expect(page.locator(".lesson-outline")).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 900})
    page.wait_for_function("document.documentElement.clientWidth === 390")
    page.wait_for_timeout(1500)  # longer than the pointer would wait before it opened the other pane
    expect(switch).to_have_attribute("aria-pressed", "true")


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


def test_a_prediction_is_shown_beside_the_models_answer_and_kept(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?lesson=greedy&step=2")
    dock_at(page, 2)
    page.locator(f"{DOCK} input[type=number]").fill("12")
    page.get_by_role("button", name="Predict", exact=True).click()
    outcome = page.locator(f"{DOCK} .ls-outcome")
    expect(outcome).to_contain_text("You said 12; it was 28.2")
    expect(page.locator(f"{DOCK} .ls-next")).to_have_text("Next")
    page.reload()
    dock_at(page, 2)
    expect(outcome).to_contain_text("You said 12")


def test_a_task_is_met_by_the_readers_action_and_back_opens_the_earlier_state(
    page: Page, app_url: str
) -> None:
    page.goto(f"{app_url}?lesson=greedy&step=3")
    dock_at(page, 3)
    task = page.locator(f"{DOCK} .ls-task")
    expect(task).to_contain_text("Your turn")
    page.get_by_role("button", name="Predict", exact=True).click()  # the output is covered until then
    expect(page.locator(f"{DOCK} .ls-outcome")).to_contain_text("it was")
    page.locator(OUTPUT).nth(11).click()
    expect(task).to_contain_text("Done")
    page.locator(f"{DOCK} .ls-next").click()
    dock_at(page, 4)
    expect(page.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#comparison")).to_contain_text("It's been a long time")
    page.locator(f"{DOCK} .ls-back").click()
    dock_at(page, 3)
    expect(page.get_by_role("tab", name="Decode")).to_have_attribute("aria-selected", "true")
    page.go_back()
    dock_at(page, 4)


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


@pytest.mark.parametrize("width", [1440, *full_only([390])])
def test_each_step_opens_its_own_state(page: Page, app_url: str, width: int) -> None:
    """The states open on a phone too, where the dock is at another place of the page."""
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{app_url}?lesson=kernels")
    lab = page.locator("#labs .tv-inspect-summary")
    dock_at(page, 1)
    expect(lab).to_contain_text("“hause” is not a key")
    page.locator(f"{DOCK} .ls-next").click()
    dock_at(page, 2)
    expect(lab).to_contain_text("“house” is a key")


def test_closing_a_lesson_does_not_change_the_page(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?lesson=greedy&step=5")
    dock_at(page, 5)
    page.wait_for_function("document.querySelectorAll('#trace .tv-out').length >= 15")
    page.get_by_role("button", name="Close the lesson").click()
    expect(page.locator(DOCK)).to_be_hidden()
    page.wait_for_function("!location.search.includes('lesson')")
    assert "Hace%20mucho" in page.url
    expect(page.locator(".lesson-outline")).to_have_count(0)


def test_an_unknown_lesson_is_reported_and_the_course_opens(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?lesson=gredy")
    expect(page.locator(".link-notice")).to_contain_text("did you mean greedy?")
    expect(page.locator(".co-chapters .co-lesson")).to_have_count(len(LESSONS))


@pytest.mark.parametrize(("code", "word"), [("es", "Saltar"), *full_only([("zh", "跳过")])])
def test_a_lesson_speaks_the_language_of_the_page(page: Page, app_url: str, code: str, word: str) -> None:
    page.goto(f"{app_url}?lesson=greedy&__lang={code}")
    dock_at(page, 1)
    expect(page.locator(f"{DOCK} h2")).to_have_text(GREEDY.title[code])
    expect(page.locator(f"{DOCK} .ls-text")).to_have_text(GREEDY.steps[0].text[code])
    expect(page.locator(f"{DOCK} .ls-next")).to_have_text(word)
