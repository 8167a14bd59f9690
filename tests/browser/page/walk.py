"""A random walk over the page, and the conditions that must hold after each step."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from playwright.sync_api import Error, Page

from tests.browser.decode_page import open_chip, open_rail, source, title_of, visit

CHECKPOINTS = ("spa-eng-gru", "spa-eng-lstm", "eng-spa-transformer", "reverse-gru", "reverse-rnn")
STRATEGIES = ("greedy", "beam", "sampling", "exact")
TEXTS = ("hola", "buenos días", "the red house", "unrolled", "¿Dónde está la biblioteca?")
TABS = ("compare", "learn", "checkpoints", "training")
LANGUAGES = ("en", "es", "zh")

GO = """steps => new Promise((done) => {
  addEventListener("popstate", () => setTimeout(done, 50), { once: true });
  setTimeout(done, 1000);  // there may be no entry to go to
  history.go(steps);
})"""

# The differences between what the form, the result, the address and the labels say, as sentences.
PROBLEMS = """() => {
  const view = document.querySelector("#trace .trace-view");
  const text = (selector) => document.querySelector(selector)?.textContent ?? null;
  const named = (title) => title?.split(" · ").at(-1); // without the words before it
  const value = (selector) => document.querySelector(selector)?.value ?? null;
  if (!view?.matches(".tv-filled") || document.querySelector("#run[aria-busy=true]")) return ["busy"];
  const { request, labels } = view.unrolled.result();
  const form = {
    checkpoint: named(value("#checkpoint input")),
    text: value("#source textarea").trim(),
    strategy: value("#strategy input:checked"),
  };
  const { strategy } = request.settings;
  const result = { checkpoint: request.checkpoint, text: request.text.trim(), strategy };
  const problems = [];
  const compare = (one, other, where) => {
    for (const name of Object.keys(other))
      if (one[name] !== other[name]) problems.push(`${where}: ${name} ${one[name]}, not ${other[name]}`);
  };
  const isMarked = view.dataset.stale !== "false";
  const [checkpoint, label] = ["#checkpoint-name", "#strategy-chip"].map((id) => text(`${id} .chip-value`));
  const chips = { checkpoint: named(checkpoint), label };
  const isSame = Object.keys(form).every((name) => form[name] === result[name]) && label === labels.strategy;
  if (!isMarked) {
    compare(form, result, "the form says");
    compare(chips, { label: labels.strategy }, "the chip says");
  } else if (isSame) problems.push("marked without a difference");
  compare(chips, { checkpoint: form.checkpoint }, "the chip says");
  const tab = document.querySelector("#tabs [role=tab][aria-selected=true]")?.dataset.tabId;
  const address = Object.fromEntries(new URL(location.href).searchParams);
  const shown = { strategy: "beam", ...address, text: address.text?.trim() };
  if (tab === "decode" && "text" in address) compare(shown, result, "the address says");
  return problems;
}"""


@dataclass
class Walk:
    """The walk of one reader; `trail` names the steps so far."""

    page: Page
    url: str
    chance: random.Random
    trail: list[str] = field(default_factory=list)

    def step(self) -> None:
        """Take a random step, then wait until the page is consistent.

        Raises AssertionError with the trail where the step fails or the page stays inconsistent.
        """
        action = self.chance.choice(ACTIONS)
        try:
            self.trail.append(f"{action.__name__}({action(self)})")
        except Error as error:
            raise AssertionError(f"{action.__name__} failed after\n{self._latest()}") from error
        self.check()

    def check(self) -> None:
        """Wait until form, result, address and labels say the same, or the result is marked."""
        try:
            self.page.wait_for_function(f"() => ({PROBLEMS})().length === 0")
        except Error as error:
            problems = self.page.evaluate(PROBLEMS)
            raise AssertionError(f"{problems} after\n{self._latest()}") from error

    def _latest(self) -> str:
        return "\n".join(self.trail[-12:])

    def open_tab(self, name: str) -> None:
        """Show a tab of the page."""
        tab = self.page.locator(f"#tabs [role=tab][data-tab-id={name}]").first
        tab.click()


def choose_checkpoint(walk: Walk) -> str:
    name = walk.chance.choice(CHECKPOINTS)
    open_chip(walk.page, "checkpoint")
    walk.page.locator("#checkpoint input").click()
    walk.page.get_by_role("option", name=title_of(name)).click()
    walk.page.keyboard.press("Escape")
    return name


def go_to_neighbour(walk: Walk) -> str:
    side = walk.chance.choice(("previous", "next"))
    walk.page.locator(f"#checkpoint-neighbours .{side}").click()
    return side


def open_card(walk: Walk) -> str:
    name = walk.chance.choice(CHECKPOINTS)
    walk.open_tab("checkpoints")
    walk.page.locator(f'#gallery [data-name="{name}"] .cg-open').click()
    walk.page.locator("#tabs [role=tab][data-tab-id=decode][aria-selected=true]").wait_for()
    return name


def choose_strategy(walk: Walk) -> str:
    name = walk.chance.choice(STRATEGIES)
    open_rail(walk.page)
    # Not `check`, which fails where the answer of an earlier step comes in between.
    walk.page.locator(f"#strategy input[value={name}]").click(force=True)
    return name


def change_beam(walk: Walk) -> str:
    size = walk.chance.choice(("2", "4", "8"))
    open_rail(walk.page)
    walk.page.locator("#strategy input[value=beam]").click(force=True)
    control = walk.page.locator(".settings input[type=number]:visible").first
    if walk.page.locator(
        "#strategy input[value=beam]"
    ).is_checked():  # unless an earlier step came in between
        control.fill(size)
        control.press("Tab")
    return size


def decode_text(walk: Walk) -> str:
    text = walk.chance.choice(TEXTS)
    source(walk.page).fill(text)
    source(walk.page).press("Enter")
    return text


def type_text(walk: Walk) -> str:
    text = walk.chance.choice(TEXTS)
    source(walk.page).fill(text)
    return text


def choose_example(walk: Walk) -> str:
    open_chip(walk.page, "examples")
    examples = walk.page.locator("#examples .example").all()
    example = walk.chance.choice([candidate for candidate in examples if candidate.text_content()])
    text = str(example.text_content())
    example.evaluate("button => button.click()")  # a run that begins now may close the list
    return text


def reopen_result(walk: Walk) -> str:
    open_chip(walk.page, "results")
    result = walk.chance.choice(walk.page.locator("#results .rs-result").all())
    text = str(result.text_content())
    result.evaluate("button => button.click()")  # as above
    return text


def visit_tab(walk: Walk) -> str:
    name = walk.chance.choice(TABS)
    walk.open_tab(name)
    walk.open_tab("decode")
    return name


def change_language(walk: Walk) -> str:
    code = walk.chance.choice(LANGUAGES)
    before = walk.page.locator(".language select").input_value()
    if code != before:
        with walk.page.expect_navigation():
            walk.page.locator(".language select").select_option(code)
    return code


def go_back(walk: Walk) -> str:
    steps = walk.chance.choice((-1, -2, 1))
    with suppress(Error):  # the page that asked may be gone
        walk.page.evaluate(GO, steps)
    return str(steps)


def reload(walk: Walk) -> str:
    walk.page.reload()
    return ""


def come_by_link(walk: Walk) -> str:
    name, text = walk.chance.choice(CHECKPOINTS), walk.chance.choice(TEXTS)
    query = f"checkpoint={name}&text={text}&strategy={walk.chance.choice(STRATEGIES)}"
    visit(walk.page, f"{walk.url}?{query}")
    return query


ACTIONS: tuple[Callable[[Walk], str], ...] = (
    *(choose_checkpoint, choose_strategy, decode_text) * 2,
    *(go_to_neighbour, open_card, change_beam, type_text, choose_example, reopen_result, visit_tab),
    *(change_language, go_back, reload, come_by_link),
)
