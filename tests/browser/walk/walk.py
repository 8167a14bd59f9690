"""A random walk over the page. Each step is an act with a seed of its own: any path can be walked again."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from playwright.sync_api import ConsoleMessage, Error, Page

from tests.browser.decode_page import source
from tests.browser.walk.oracle import PROBLEMS, SNAPSHOT
from tests.browser.windows import PATIENCE

# The browser's messages about requests that a reload or a link aborts.
LEFT_BEHIND = ("AbortError", "Connection errored out", "Unexpected client exception TypeError")

PAUSE = 500  # milliseconds
# Acts after which a text that was typed, but not decoded, is still there.
KEEPING = {
    *("choose_checkpoint", "go_to_neighbour", "open_card", "choose_strategy", "fill_field", "force_token"),
    *("move", "choose_hypothesis", "inspect", "visit_tab", "change_language", "change_theme"),
}
# Whether the text that the reader typed is in the form, among the results, or an example.
HAS_TEXT = """text => document.querySelector("#source textarea").value === text
  || [...document.querySelectorAll("#results .rs-result, #examples .example")]
    .some((each) => each.textContent.includes(text))"""


@dataclass(frozen=True)
class Step:
    """One act of one reader; the seed decides its details."""

    reader: int
    act: str
    seed: int

    def __str__(self) -> str:
        return f"{self.reader}:{self.act}:{self.seed}"


def random_path(acts: list[str], readers: int, steps: int, seed: int) -> Iterator[Step]:
    """Draw the acts like cards from a deck, so that a short path has many of them."""
    chance = random.Random(seed)
    deck: list[str] = []
    for _ in range(steps):
        if not deck:
            deck = chance.sample(acts, len(acts))
        yield Step(chance.randrange(readers), deck.pop(), chance.randrange(1000))


def read_path(text: str) -> list[Step]:
    """The steps of a path that a failure has printed."""
    parts = (step.split(":") for step in text.split())
    return [Step(int(reader), act, int(seed)) for reader, act, seed in parts]


@dataclass
class Walk:
    """The walk of one reader; `trail` says what the steps so far did."""

    page: Page
    url: str
    trail: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(part in message.text for part in LEFT_BEHIND):
            self.complaints.append(f"{message.text} {message.location.get('url', '')}")

    def take(self, name: str, act: Callable[[Walk, random.Random], str], seed: int) -> None:
        """Take a step, then wait until the page is consistent.

        Raises AssertionError where the step fails, the page stays inconsistent, or a text is lost.
        """
        text = source(self.page).input_value()
        self.trail.append(name)
        try:
            self.trail[-1] = f"{name}({act(self, random.Random(seed))})"
        except Error as error:
            raise AssertionError(f"{name} failed: {error}\n{self.latest()}") from error
        if seed % 2:  # a reader who waits: late answers and addresses have come
            self.page.wait_for_timeout(PAUSE)
        self.check()
        if name in KEEPING and text.strip():
            assert self.page.evaluate(HAS_TEXT, text), f"“{text}” is lost after\n{self.latest()}"

    def check(self) -> None:
        """Wait until form, result, address and labels say the same, or the result is marked."""
        try:
            self.page.wait_for_function(f"() => ({PROBLEMS})().length === 0", timeout=PATIENCE)
        except Error as error:
            problems = self.page.evaluate(PROBLEMS)
            raise AssertionError(f"{problems} after\n{self.latest()}") from error
        assert not self.complaints, f"{self.complaints} after\n{self.latest()}"

    def snapshot(self) -> dict[str, object]:
        """The state that another browser must show at the same address."""
        self.check()
        state: dict[str, object] = self.page.evaluate(SNAPSHOT)
        return state

    def latest(self) -> str:
        """The last steps, one a line."""
        return "\n".join(self.trail[-12:])

    def open_tab(self, name: str) -> None:
        """Show a tab of the page."""
        self.page.locator(f"#tabs [role=tab][data-tab-id={name}]").first.click()

    def go_to_decode(self) -> None:
        """Show the first tab, and leave a lesson that covers parts of it."""
        if self.page.locator("#tabs [inert]").count():
            self.leave_lesson()
        self.open_tab("decode")
        search = self.page.locator("#trace .trace-view.tv-inspecting .tv-switch button:visible")
        if search.count():
            search.first.click()

    def leave_lesson(self) -> None:
        """Close the lesson, if one is open."""
        close = self.page.locator("aside.lesson:not([hidden]) .ls-close")
        if close.count():
            close.click()
            self.page.locator("aside.lesson").wait_for(state="hidden")
