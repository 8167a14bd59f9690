"""Acts of a reader on the page as a whole: tabs, lessons, language, theme, links, reload and Back."""

from __future__ import annotations

from contextlib import suppress
from random import Random

from playwright.sync_api import Error

from models.decoding.strategies import names
from tests.browser.decode_page import visit
from tests.browser.walk.decode_acts import CHECKPOINTS, TEXTS
from tests.browser.walk.walk import Walk

TABS = ("compare", "evaluate", "training", "checkpoints", "learn")
LANGUAGES = ("en", "es", "zh")
LESSONS = ("greedy", "tour", "lookup", "gates")
DOCK = "aside.lesson:not([hidden])"
# All at once, since a late answer may close the question.
ANSWER = """([prediction, number, option]) => {
  const inSight = (selector) => [...document.querySelectorAll(`${prediction} ${selector}`)]
    .filter((each) => each.checkVisibility() && !each.disabled);
  const [options, [field]] = [inSight(".ls-option"), inSight("input[type=number]")];
  if (options.length) options[option % options.length].click();
  else if (field) {
    field.value = number;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    inSight(".ls-do")[0].click();
  } else return "none";
  return document.querySelector(prediction).closest("aside").dataset.step;
}"""
GO = """steps => new Promise((done) => {
  addEventListener("popstate", () => setTimeout(done, 50), { once: true });
  setTimeout(done, 1000);  // there may be no entry to go to
  history.go(steps);
})"""


def open_card(walk: Walk, chance: Random) -> str:
    walk.leave_lesson()
    name = chance.choice(CHECKPOINTS)
    walk.open_tab("checkpoints")
    walk.page.locator(f'#gallery [data-name="{name}"] .cg-open').click()
    walk.page.locator("#tabs [role=tab][data-tab-id=decode][aria-selected=true]").wait_for()
    return name


def visit_tab(walk: Walk, chance: Random) -> str:
    walk.leave_lesson()
    name = chance.choice(TABS)
    walk.open_tab(name)
    return name


def compare_text(walk: Walk, chance: Random) -> str:
    walk.leave_lesson()
    walk.open_tab("compare")
    text = chance.choice(TEXTS)
    box = walk.page.locator("#compare-text textarea")
    box.wait_for()
    box.fill(text)
    if chance.random() < 0.5:
        walk.page.locator("[id^=compare-run-]:visible").click()
    return text


def fill_other_forms(walk: Walk, chance: Random) -> str:
    """Type something into any field of another tab."""
    walk.leave_lesson()
    name = chance.choice(TABS)
    walk.open_tab(name)
    fields = walk.page.locator("#tabs .tabitem:visible :is(input[type=number], textarea):visible:enabled")
    fields.first.or_(walk.page.locator("#tabs button:visible").first).first.wait_for()
    if not fields.count():
        return f"{name}: none"
    field = chance.choice(fields.all())
    field.press("ControlOrMeta+a")
    content = chance.choice(("3", "0.7", "-1", ""))
    walk.page.keyboard.type(content)
    walk.page.keyboard.press(chance.choice(("Tab", "Enter")))
    return f"{name}: “{content}”"


def enter_lesson(walk: Walk, chance: Random) -> str:
    walk.leave_lesson()
    lesson = chance.choice(LESSONS)
    walk.open_tab("learn")
    walk.page.locator(f"#course [data-lesson={lesson}], .co-chapters [data-lesson={lesson}]").first.click()
    walk.page.locator(f"{DOCK}[data-lesson={lesson}]").wait_for()
    return lesson


def _in_lesson(walk: Walk, chance: Random) -> None:
    if not walk.page.locator(DOCK).count():
        enter_lesson(walk, chance)


def answer_question(walk: Walk, chance: Random) -> str:
    _in_lesson(walk, chance)
    choice = [f"{DOCK} .ls-prediction", chance.choice(("12", "3", "0.5")), chance.randrange(100)]
    return str(walk.page.evaluate(ANSWER, choice))


def next_step(walk: Walk, chance: Random) -> str:
    _in_lesson(walk, chance)
    walk.page.locator(f"{DOCK} .ls-next").click()
    return ""


def earlier_step(walk: Walk, chance: Random) -> str:
    _in_lesson(walk, chance)
    back = walk.page.locator(f"{DOCK} .ls-back:visible:enabled")
    if back.count():
        back.click()
    return ""


def leave_lesson(walk: Walk, chance: Random) -> str:
    walk.leave_lesson()
    return ""


def change_language(walk: Walk, chance: Random) -> str:
    code = chance.choice(LANGUAGES)
    before = walk.page.locator(".language select").input_value()
    if code != before:
        with walk.page.expect_navigation():
            walk.page.locator(".language select").select_option(code)
    return code


def change_theme(walk: Walk, chance: Random) -> str:
    walk.page.locator(".scheme").first.click()
    return ""


def go_back(walk: Walk, chance: Random) -> str:
    steps = chance.choice((-1, -2, 1))
    with suppress(Error):  # the page that asked may be gone
        walk.page.evaluate(GO, steps)
    if not walk.page.url.startswith(walk.url):  # before the first page
        visit(walk.page, walk.url)
    return str(steps)


def reload(walk: Walk, chance: Random) -> str:
    walk.page.reload()
    return ""


def come_by_link(walk: Walk, chance: Random) -> str:
    name, text = chance.choice(CHECKPOINTS), chance.choice(TEXTS)
    strategy = chance.choice([name for name in names() if name != "exhaustive"])  # which refuses long outputs
    query = f"checkpoint={name}&text={text}&strategy={strategy}"
    visit(walk.page, f"{walk.url}?{query}")
    return query
