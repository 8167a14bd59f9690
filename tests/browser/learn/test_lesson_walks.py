"""Predictions: nothing tells the answer before one is made, and then the numbers of the reveal are in sight.

One walk through a lesson checks both, since the walk takes longer than the checks.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from demo.lessons.facts import LessonState
from demo.lessons.lesson import Lesson, LessonStep
from demo.lessons.outcomes import States
from demo.service.context import AppContext
from tests.browser.learn.dock import DOCK, LESSONS, dock_at
from tests.browser.learn.evidence import hints, unseen
from tests.browser.learn.page_text import texts_and_names, texts_in_sight
from tests.grids import named

BY_NAME = {lesson.id: lesson for lesson in LESSONS}
SAMPLE = ("greedy", "kernels")  # Decode, Compare and a lab
PHONE_SAMPLE = ("kernels",)
SCREEN, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
SETTLED_MILLISECONDS = 600  # without a change, after which a state has been drawn
TRIES = 6
# For a page that still scrolls or draws a card on a busy machine. Only a missing number takes all tries.
TRIES_IN_SIGHT, PAUSE_MILLISECONDS = 120, 250
QUESTION_MILLISECONDS = 30_000  # in which a phone scrolls back to the question

# By lesson and step, with the reason.
ANSWERED_BEFORE = {
    "heads/house": "By chance another token has the same percentage.",
}
NO_PROBABILITY = "A comparison shows log-probabilities, and no probability of a token or of all outputs."
NO_PLACE = "No part of the page has this number yet."
ONE_STEP = "Its numbers belong to two steps, and the page shows one."
NOT_SHOWN = {
    "greedy/start": NO_PROBABILITY,
    "greedy/both": NO_PROBABILITY,
    "bottleneck/short": NO_PROBABILITY,
    "search/exhaustive": "The page shows its logarithm.",
    "sampling/groups": NO_PROBABILITY,
    "wordvectors/bag": NO_PLACE,
    "wordvectors/cbow": NO_PLACE,
    "gradients/needed": NO_PLACE,
    "kernels/real": ONE_STEP,
    "gates/cell": "The largest unit of the chart and the table of what is written do not fit on one screen.",
    "perplexity/translator": NO_PLACE,
    "perplexity/order": NO_PLACE,
    "perplexity/nonsense": NO_PLACE,
}
# On a phone two parts of the page hold the numbers of these reveals.
APART_ON_A_PHONE = (
    "gradients/explode",
    "gradients/shortcut",
    "autoregression/free",
    "gates/half",
    "greedy/tree",
    "sampling/dice",
    "positions/order",
)
UNCOVERED: dict[str, str] = {
    "greedy/start": "No part of the page shows whether a more probable sentence exists.",
}

# Resolves when nothing outside the dock has changed or scrolled for a while.
SETTLE = """(pause) => new Promise((resolve) => {
  const observer = new MutationObserver((changes) => {
    if (changes.some(({ target }) => !target.parentElement?.closest("aside.lesson"))) restart();
  });
  let timer;
  const restart = () => {
    clearTimeout(timer);
    timer = setTimeout(finish, pause);
  };
  const finish = () => {
    observer.disconnect();
    removeEventListener("scroll", restart, true);
    resolve();
  };
  addEventListener("scroll", restart, true);
  observer.observe(document.querySelector("#tabs"), { subtree: true, childList: true, characterData: true });
  restart();
})"""
# The visible area of the largest covered part.
COVERED_AREA = """() => {
  const areas = [...document.querySelectorAll("[inert]")].map((element) => {
    const box = element.getBoundingClientRect();
    const [x, y] = [Math.max(Math.ceil(box.left), 0), Math.max(Math.ceil(box.top), 0)];
    const width = Math.floor(Math.min(box.right, innerWidth)) - x;
    return { x, y, width, height: Math.floor(Math.min(box.bottom, innerHeight)) - y };
  });
  const seen = areas.filter(({ width, height }) => width > 2 && height > 2);
  return seen.sort((one, other) => other.width * other.height - one.width * one.height)[0] ?? null;
}"""
REMOVE = """() => {
  const style = Object.assign(document.createElement("style"), { id: "removed" });
  style.textContent = "[inert] * { visibility: hidden !important; }";
  document.head.append(style);
}"""
NO_OUTLINE = ".lesson-outline { display: none !important; }"  # it leaves a part that is hidden
QUESTION_IN_SIGHT = """() => {
  const { top, bottom } = document.querySelector("aside.lesson .ls-text").getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}"""


@pytest.fixture(scope="package")
def states(context: AppContext) -> States:
    return States(context)


def asking_steps(page: Page, url: str, lesson: Lesson) -> Iterator[tuple[str, LessonStep]]:
    """Open each step that asks for a prediction: the first by its address, the others from the dock."""
    numbers = [number for number, step in enumerate(lesson.steps, 1) if step.prediction]
    for number in numbers:
        if number == numbers[0]:
            page.goto(f"{url}?lesson={lesson.id}&step={number}")
        else:
            page.locator(f"{DOCK} .ls-dot").nth(number - 1).click()
        dock_at(page, number)
        page.locator(f"{DOCK} .ls-prediction button").first.wait_for()
        page.evaluate(SETTLE, SETTLED_MILLISECONDS)
        yield f"{lesson.id}/{lesson.steps[number - 1].name}", lesson.steps[number - 1]


def predict(page: Page, step: LessonStep) -> None:
    """Predict something, and wait for the reveal."""
    assert step.prediction is not None
    form = page.locator(f"{DOCK} .ls-prediction")
    if form.locator(".ls-option").count():
        form.locator(".ls-option").first.click()
    else:
        for field in form.locator("input[type=text]").all():
            field.fill("a")
        for row in form.locator(".ls-grid tr:has(button)").all():
            row.locator("button").first.click()
        form.locator(".ls-do").click()
    page.wait_for_function(f"document.querySelectorAll('{DOCK} .ls-outcome p').length > 1")


def still_unseen(page: Page, step: LessonStep, state: LessonState) -> list[str]:
    """The terms of a reveal that stay out of view."""
    for _ in range(TRIES_IN_SIGHT):
        if not unseen(step, state, texts_in_sight(page)):
            return []
        page.wait_for_timeout(PAUSE_MILLISECONDS)
    return unseen(step, state, texts_in_sight(page))


def shows_through(page: Page) -> bool:
    """Whether the largest covered part looks different, each time, when its content is removed."""
    for _ in range(TRIES):
        area = page.evaluate(COVERED_AREA)
        if area is None:
            return False
        covered = page.screenshot(clip=area, style=NO_OUTLINE)
        page.evaluate(REMOVE)
        removed = page.screenshot(clip=area, style=NO_OUTLINE)
        page.evaluate("document.querySelector('#removed').remove()")
        if covered == removed:
            return False
        page.evaluate(SETTLE, SETTLED_MILLISECONDS)  # the page may still have moved
    return True


def before_the_prediction(page: Page, name: str, step: LessonStep, state: LessonState) -> Iterator[str]:
    """The texts that reveal the answer of a step."""
    if name not in ANSWERED_BEFORE:
        yield from (f"{name} tells {hint}" for hint in hints(step, state, texts_and_names(page)))
    if name not in UNCOVERED and not page.locator("[inert]").count():
        yield f"{name} covers nothing"
    if step.veil and shows_through(page):
        yield f"{name} has a transparent veil"


@pytest.mark.parametrize("lesson", named(BY_NAME, SAMPLE))
def test_an_answer_is_covered_until_the_prediction_and_then_scrolled_into_view(
    page: Page, app_url: str, lesson: Lesson, states: States
) -> None:
    problems: list[str] = []
    page.set_viewport_size(SCREEN)
    for name, step in asking_steps(page, app_url, lesson):
        state = states.state_of(step.state)
        problems += before_the_prediction(page, name, step, state)
        predict(page, step)
        if name not in NOT_SHOWN:
            problems += (f"{name} does not show {term}" for term in still_unseen(page, step, state))
    assert problems == []


@pytest.mark.full
@pytest.mark.parametrize("lesson", named(BY_NAME, PHONE_SAMPLE))
def test_a_phone_shows_the_numbers_after_one_press_and_leads_back(
    page: Page, app_url: str, lesson: Lesson, states: States
) -> None:
    problems: list[str] = []
    page.set_viewport_size(PHONE)
    for name, step in asking_steps(page, app_url, lesson):
        predict(page, step)
        page.locator(f"{DOCK} .ls-where").click()
        if name not in {*NOT_SHOWN, *APART_ON_A_PHONE}:
            missing = still_unseen(page, step, states.state_of(step.state))
            problems += (f"{name} does not show {term}" for term in missing)
        page.locator(f"{DOCK} .ls-unfold").click()
        try:
            page.wait_for_function(QUESTION_IN_SIGHT, timeout=QUESTION_MILLISECONDS)
        except PlaywrightTimeoutError:
            problems.append(f"{name} does not lead back to the question")
    assert problems == []
