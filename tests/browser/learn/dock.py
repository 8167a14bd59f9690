"""The dock of a lesson, and checks of its steps."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from demo.learn.lessons import lessons
from demo.learn.lessons.lesson import Lesson

DOCK = "aside.lesson"
LESSONS = lessons()
GREEDY, GATES = (next(lesson for lesson in LESSONS if lesson.id == name) for name in ("greedy", "gates"))
# The part under the outline must be visible: inside the page, not below the dock, and not empty.
LOOK_PROBLEM = """() => {
  const look = document.querySelector(".lesson-outline");
  if (!look || look.hidden) return "there is no outline";
  const both = [look, document.querySelector("aside.lesson")];
  const [part, dock] = both.map((each) => each.getBoundingClientRect());
  if (part.width < 10 || part.height < 10) return "the outline is empty";
  if (part.left < -8 || part.right > document.documentElement.scrollWidth + 8) return "it leaves the page";
  if (dock.top < 0 || dock.top + 80 > window.innerHeight) return "the text is out of sight";
  const across = Math.min(part.right, dock.right) - Math.max(part.left, dock.left);
  const down = Math.min(part.bottom, dock.bottom) - Math.max(part.top, dock.top);
  if (across > 12 && down > 12) return "the dock covers it";
  for (const pane of document.querySelectorAll("#trace .tv-pane")) {
    const { left, right, top, bottom } = pane.getBoundingClientRect();
    const isLevel = part.top > top - 8 && part.bottom < bottom + 8;
    const isIn = isLevel && part.left > left - 8 && part.right < right + 8;
    const isBeside = part.right < left + 12 || part.left > right - 12;
    const isOff = isBeside || part.bottom < top + 12 || part.top > bottom - 12;
    if (!isIn && !isOff) return "it leaves its pane";
  }
  return "";
}"""

# A covered part shows none of its content: neither text nor bars nor curves.
COVERED = """() => [...document.querySelectorAll("#tabs [inert] *")]
  .every((element) => !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))"""


def dock_at(page: Page, step: int) -> None:
    """Wait until a step is drawn with its computed parts."""
    # Until it is there, each look of `expect` would describe the whole page for a message that nobody reads.
    page.locator(f"{DOCK}[data-step='{step}']").wait_for()
    expect(page.locator(f"{DOCK} .ls-text")).not_to_have_text("…")
    expect(page.locator(f"{DOCK} .ls-text")).not_to_be_empty()


def shows(page: Page, lesson: Lesson, number: int) -> None:
    """Wait until a step is there with its outline, its question and its task."""
    step = lesson.steps[number - 1]
    dock_at(page, number)
    if step.page_part:
        try:
            page.wait_for_function(f"({LOOK_PROBLEM})() === ''")
        except TimeoutError:
            pytest.fail(f"step {number}: {page.evaluate(LOOK_PROBLEM)}")
    if step.prediction is not None:
        expect(page.locator(f"{DOCK} .ls-prediction button").first).to_be_visible()
        page.wait_for_function(COVERED)
    if step.done:
        expect(page.locator(f"{DOCK} .ls-task")).to_have_text("Your turn: do it on the page.")
