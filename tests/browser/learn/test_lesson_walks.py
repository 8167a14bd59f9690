"""A walk through each lesson: a step shows its subject, covers its answer, and shows it after a prediction.

One walk checks all of it, since the walk takes longer than the checks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import pytest
from playwright.sync_api import Page

from demo.learn.lessons.facts import LessonState
from demo.learn.lessons.lesson import Lesson, LessonStep
from demo.learn.lessons.states import States
from demo.work.context import AppContext
from tests.browser.accessibility import violations
from tests.browser.learn.dock import DOCK, LESSONS, shows
from tests.browser.learn.evidence import hints, unseen
from tests.browser.learn.exceptions import ANSWERED_BEFORE, APART_ON_A_PHONE, NOT_SHOWN
from tests.browser.learn.page_text import NAMES, TEXTS, texts_and_names, texts_in_sight
from tests.browser.windows import PATIENCE
from tests.grids import full_only, release_only

BY_NAME = {lesson.id: lesson for lesson in LESSONS}
SAMPLE = {"tour": range(1, 4), "greedy": range(1, 6), "kernels": range(4, 7)}  # Decode, Compare, a lab
# Lessons with all kinds of predictions and tabs; the others are walked before a release.
ON_SCREENS = ("ngrams", "beam", "bleu", "heads", "gates", "errors", "explain")
ON_PHONES = ("kernels", "errors")
PHONE = {"width": 390, "height": 844}
SETTLED_MILLISECONDS = 600  # without a change, after which a state has been drawn
PAUSE_MILLISECONDS = 250  # between two looks for a number

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
# Elements that can be seen within covered parts, and covered parts that show their text or no stripes.
VISIBLE_PARTS = """() => {
  const isSeen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const within = [...document.querySelectorAll("[inert] *")].filter(isSeen);
  const covered = [...document.querySelectorAll("[inert]")].filter(isSeen);
  const unstriped = covered.filter((element) => {
    const { color, backgroundImage } = getComputedStyle(element);
    return color !== "rgba(0, 0, 0, 0)" || !backgroundImage.includes("gradient");
  });
  return [...within, ...unstriped].map((element) => element.className || element.tagName);
}"""
# Opens one after the other what can be opened in a tab. One click of Playwright would cost more than all.
OPENED = """async (collect) => {
  const isOpen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && !element.closest("[inert], aside.lesson, #tabs > .tab-wrapper");
  const isExpanded = (element) => element.getAttribute("aria-expanded") === "true";
  const frames = async () => { for (const _ of "12") await new Promise(requestAnimationFrame); };
  const find = (what) => [...document.querySelectorAll(`#tabs :is(${what})`)];
  const selected = find("[role=tab][data-tab][aria-selected=true]").filter(isOpen);
  const openers = "[role=tab][data-tab], summary, [aria-haspopup], button[aria-expanded]";
  const results = [];
  for (const opener of find(openers)) {
    if (!isOpen(opener) || isExpanded(opener)) continue;
    opener.click();
    await frames();
    results.push(...collect());
    if (isExpanded(opener)) opener.click();
  }
  for (const tab of selected) tab.click();
  return results;
}"""
HOVERED = "#tabs :is(.tv-out, .tv-src, [title], .js-plotly-plot .point)"  # shows something under the pointer
TIPS = ".hoverlayer text, [role=tooltip], .tv-tip, .gl-tip"
MAX_HOVERS = 6
# The point at which the pointer reaches an element, if it does.
REACHED = """(element) => {
  element.scrollIntoView({ block: "nearest", behavior: "instant" });
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const isInSight = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
  const isOpen = element.checkVisibility() && !element.closest("[inert], aside.lesson, #tabs > .tab-wrapper");
  return isInSight && isOpen ? [(left + right) / 2, (top + bottom) / 2] : null;
}"""
QUESTION_IN_SIGHT = """() => {
  const { top, bottom } = document.querySelector("aside.lesson .ls-text").getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}"""

NEXT_IN_SIGHT = """() => {
  const { top, bottom } = document.querySelector("aside.lesson .ls-next").getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}"""
FOLDED_IN_SIGHT = """() => {
  const { left, right, bottom } = document.querySelector("aside.lesson.ls-folded").getBoundingClientRect();
  return left >= 0 && right <= innerWidth && bottom <= innerHeight;
}"""


def sampled(names: Collection[str]) -> list[Any]:
    """Mark some lessons with `full`, and all others with `release`."""
    return [*full_only(names), *release_only(name for name in BY_NAME if name not in names)]


@pytest.fixture(scope="package")
def states(context: AppContext) -> States:
    return States(context)


def predict(page: Page, step: LessonStep) -> None:
    """Predict something, and wait for the reveal."""
    form = page.locator(f"{DOCK} .ls-prediction")
    if form.locator(".ls-keep").count():
        for option in form.locator(".ls-option").all()[:2]:
            option.click()
        form.locator(".ls-do").click()
    elif form.locator(".ls-option").count():
        form.locator(".ls-option").first.click()
    else:
        for field in form.locator("input[type=text]").all():
            field.fill("a")
        for row in form.locator(".ls-draw tr:has(button)").all():
            row.locator("button").first.click()
        form.locator(".ls-do").click()
    page.wait_for_function(f"document.querySelectorAll('{DOCK} .ls-outcome p').length > 1")


def still_unseen(page: Page, step: LessonStep, state: LessonState) -> list[str]:
    """The terms of a reveal that stay out of view; a busy page scrolls and draws cards late."""
    for _ in range(PATIENCE // PAUSE_MILLISECONDS):
        if not unseen(step, state, texts_in_sight(page)):
            return []
        page.wait_for_timeout(PAUSE_MILLISECONDS)
    return unseen(step, state, texts_in_sight(page))


def reachable_texts(page: Page) -> list[str]:
    """The texts of the page, of all that a click opens on it, and of what shows under the pointer."""
    collect = f"() => [...({TEXTS})([false]), ...({NAMES})()]"
    texts = [*texts_and_names(page), *page.evaluate(f"({OPENED})({collect})")]
    for mark in page.locator(HOVERED).all()[:MAX_HOVERS]:
        if point := mark.evaluate(REACHED):
            page.mouse.move(*point)  # unlike `hover`, it needs no page that stands still
            texts += page.locator(TIPS).all_inner_texts()
    return texts


def before_the_prediction(page: Page, name: str, step: LessonStep, state: LessonState) -> Iterator[str]:
    """The texts that reveal the answer of a step."""
    if name not in ANSWERED_BEFORE:
        # The other tabs and Inspect are covered as a whole.
        is_partly_open = "tab=decode" in step.state and "inspect=" not in step.state
        texts = reachable_texts(page) if is_partly_open else texts_and_names(page)
        yield from (f"{name} tells {hint}" for hint in hints(step, state, texts))
    if not page.locator("[inert]").count():
        yield f"{name} covers nothing"
    yield from (f"{name} shows {part} through its veil" for part in page.evaluate(VISIBLE_PARTS))


def arrives(page: Page, lesson: Lesson, number: int) -> None:
    """Check that the subject of a step is in sight, and that nothing is beside the screen."""
    shows(page, lesson, number)
    page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")


def on_a_screen(page: Page, lesson: Lesson, number: int, states: States) -> None:
    """Check a step before and after a prediction."""
    arrives(page, lesson, number)
    step = lesson.steps[number - 1]
    if not step.prediction:
        return
    name, state = f"{lesson.id}/{step.name}", states.state_of(step.state)
    page.evaluate(SETTLE, SETTLED_MILLISECONDS)
    problems = [*before_the_prediction(page, name, step, state)]
    predict(page, step)
    if name not in NOT_SHOWN:
        problems += (f"{name} does not show {term}" for term in still_unseen(page, step, state))
    page.evaluate(SETTLE, SETTLED_MILLISECONDS)
    if not page.evaluate(NEXT_IN_SIGHT):
        problems.append(f"{name} has its button Next out of sight")
    assert problems == []


def on_a_phone(page: Page, lesson: Lesson, number: int, states: States) -> None:
    """Check that one press leads from a prediction to its numbers, and another one back to the question."""
    arrives(page, lesson, number)
    step = lesson.steps[number - 1]
    if not step.prediction:
        return
    name, missing = f"{lesson.id}/{step.name}", []
    page.evaluate(SETTLE, SETTLED_MILLISECONDS)
    predict(page, step)
    page.locator(f"{DOCK} .ls-where").click()
    page.wait_for_function(FOLDED_IN_SIGHT)
    if name not in {*NOT_SHOWN, *APART_ON_A_PHONE}:
        missing = still_unseen(page, step, states.state_of(step.state))
    page.locator(f"{DOCK} .ls-unfold").click()
    page.wait_for_function(QUESTION_IN_SIGHT)
    assert missing == []


def walk(page: Page, lesson: Lesson, steps: Sequence[int], states: States, subtests: pytest.Subtests) -> None:
    """Walk from one step to the next on a screen."""
    for number in steps:
        with subtests.test("on a screen", step=number):
            on_a_screen(page, lesson, number, states)
        if number != steps[-1]:
            page.locator(f"{DOCK} .ls-next").click()
    with subtests.test("axe finds nothing on a screen"):
        assert violations(page, DOCK) == []


@pytest.mark.parametrize(("lesson", "steps"), SAMPLE.items(), ids=SAMPLE)
def test_some_steps_show_their_subject_and_after_a_prediction_their_answer(
    page: Page, app_url: str, lesson: str, steps: range, states: States, subtests: pytest.Subtests
) -> None:
    page.goto(f"{app_url}?lesson={lesson}&step={steps[0]}")
    walk(page, BY_NAME[lesson], steps, states, subtests)


@pytest.mark.parametrize("name", sampled(ON_SCREENS))
def test_each_step_shows_its_subject_and_after_a_prediction_its_answer(
    page: Page, app_url: str, name: str, states: States, subtests: pytest.Subtests
) -> None:
    lesson = BY_NAME[name]
    page.goto(f"{app_url}?lesson={name}")
    walk(page, lesson, range(1, len(lesson.steps) + 1), states, subtests)


@pytest.mark.parametrize("name", sampled(ON_PHONES))
def test_on_a_phone_each_step_leads_to_its_answer_and_back(
    open_window: Callable[..., Page], app_url: str, name: str, states: States, subtests: pytest.Subtests
) -> None:
    """The walk goes from the last step to the first."""
    page, lesson = open_window(viewport=PHONE), BY_NAME[name]
    page.goto(f"{app_url}?lesson={name}&step={len(lesson.steps)}")
    for number in range(len(lesson.steps), 0, -1):
        with subtests.test("on a phone", step=number):
            on_a_phone(page, lesson, number, states)
        if number == len(lesson.steps):
            with subtests.test("axe finds nothing on a phone"):
                assert violations(page, DOCK) == []
        if number > 1:
            page.locator(f"{DOCK} .ls-back").click()
