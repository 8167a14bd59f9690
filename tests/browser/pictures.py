"""Makes the pictures of the README and the guides from the real page: `python -m tests.browser.pictures`.

Writes docs/images/decode.webp, in which a sentence is typed, decoded, stepped through and decoded anew from a
forced word, and docs/images/screenshot.png, the Decode tab. Only the pointer is drawn in.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from urllib.parse import urlencode

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from tests.benchmarks.serving import serving
from tests.browser.chromium import FLAGS, find_chromium
from tests.browser.conftest import ROOT
from tests.browser.decode_page import EXAMPLE, SPANISH, results, source, visit, wait_for_result

IMAGES = ROOT / "docs" / "images"
FIRST = "Me gusta la música."
HIDDEN = "header,tabs,examples,downloads,copy,teach"
SIZE, WIDTH = (1280, 760), 960  # pixels of the browser's window; of the picture, across
SCREEN = {"width": 1440, "height": 900}
QUALITY = 70  # WebP's, up to 100
PATIENCE = 120_000  # milliseconds: the machine may be busy
SETTLED = 400  # milliseconds after which Plotly has drawn
FORCED_STEP, FORCED_RANK = 4, 2  # where another word is forced, and which of the next tokens, counted from 1

# An arrow, as a screenshot has no pointer; and the note that parts are hidden, which is only in the way.
POINTER = """() => {
  const style = document.createElement("style");
  style.textContent = `.link-hidden, footer, .language, .glossary-open, .scheme { display: none !important; }
    #pointer { position: fixed; z-index: 9999; width: 26px; left: -50px; top: 0; pointer-events: none; }`;
  document.head.append(style);
  document.body.insertAdjacentHTML("beforeend", `<svg id="pointer" viewBox="0 0 24 24">
    <path d="M5 2v17l4.5-4 3 7 3-1.3-3-6.7H19z" fill="#101013" stroke="#fff" stroke-width="1.5"/></svg>`);
}"""
POINT = """([x, y]) => {
  const { style } = document.querySelector("#pointer");
  style.left = `${x}px`;
  style.top = `${y}px`;
}"""


class Film:
    """The frames of an animation, and the duration of each."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._frames: list[Image.Image] = []
        self._durations: list[int] = []

    def take(self, milliseconds: int) -> None:
        """Add a frame of the current page."""
        shot = Image.open(BytesIO(self._page.screenshot())).convert("RGB")
        height = round(shot.height * WIDTH / shot.width)
        self._frames.append(shot.resize((WIDTH, height), Image.Resampling.LANCZOS))
        self._durations.append(milliseconds)

    def point(self, target: Locator, milliseconds: int = 500) -> None:
        """Add a frame with the pointer on an element."""
        box = target.bounding_box()
        assert box is not None
        self._page.evaluate(POINT, [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])
        self.take(milliseconds)

    def save(self, path: Path) -> None:
        """Write an animated WebP that repeats."""
        first, *others = self._frames
        settings = {"duration": self._durations, "loop": 0, "quality": QUALITY, "method": 6}
        first.save(path, save_all=True, append_images=others, minimize_size=True, **settings)


def main() -> None:
    """Start the app and a browser, and write both pictures."""
    with serving("app.py", UNROLLED_TRAINING="off") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright), args=list(FLAGS))
        for write in (animate, photograph):
            write(browser, server.url)
        browser.close()


def address(url: str, text: str, **more: str) -> str:
    """A link to the Decode tab with a beam of four."""
    parameters = {
        "tab": "decode",
        "checkpoint": SPANISH,
        "text": text,
        "strategy": "beam",
        "beam_size": 4,
        **more,
    }
    return f"{url}?{urlencode(parameters)}"


def animate(browser: Browser, url: str) -> None:
    """Write decode.webp."""
    page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]})
    page.set_default_timeout(PATIENCE)
    visit(page, address(url, FIRST, hide=HIDDEN))
    page.evaluate(POINTER)
    page.wait_for_timeout(SETTLED)
    film = Film(page)
    _type_and_decode(page, film)
    following = page.locator(".tv-following")
    for _ in range(page.locator(".tv-strip button").count() - 1):
        _act_and_wait(page, following.click)
        film.point(following, 650)
    film.take(900)
    _force_another_word(page, film)
    film.save(IMAGES / "decode.webp")
    page.close()


def _type_and_decode(page: Page, film: Film) -> None:
    film.take(1000)
    for end in range(0, len(EXAMPLE) + 1, 3):
        source(page).fill(EXAMPLE[:end])
        film.take(70)
    source(page).fill(EXAMPLE)
    page.wait_for_timeout(SETTLED)
    film.point(page.locator("#run"), 700)
    before = results(page)
    page.locator("#run").click()
    wait_for_result(page, before)
    page.wait_for_timeout(SETTLED)
    film.take(1500)


def _force_another_word(page: Page, film: Film) -> None:
    previous = page.locator(".tv-previous")
    while page.locator("#trace .trace-view").get_attribute("data-step") != str(FORCED_STEP - 1):
        _act_and_wait(page, previous.click)
        film.point(previous, 250)
    force = page.locator(".tv-bars li").nth(FORCED_RANK - 1).locator(".tv-force")
    film.point(force, 900)
    before = results(page)
    force.click()
    wait_for_result(page, before)
    page.wait_for_timeout(SETTLED)
    film.take(3500)


def _act_and_wait(page: Page, act: Callable[[], None]) -> None:
    act()
    page.wait_for_timeout(SETTLED)


def photograph(browser: Browser, url: str) -> None:
    """Write screenshot.png: the Decode tab after a step that was forced."""
    page = browser.new_page(viewport=SCREEN)
    page.set_default_timeout(PATIENCE)
    visit(page, address(url, EXAMPLE))
    before = results(page)
    page.locator(".tv-strip button").nth(FORCED_STEP - 1).click()
    page.locator(".tv-bars li").nth(FORCED_RANK - 1).locator(".tv-force").click()
    wait_for_result(page, before)
    page.wait_for_timeout(SETTLED)
    page.evaluate("() => scrollTo(0, 0)")
    shot = Image.open(BytesIO(page.screenshot())).convert("RGB")
    shot.quantize(128, dither=Image.Dither.NONE).save(IMAGES / "screenshot.png", optimize=True)
    page.close()


if __name__ == "__main__":
    main()
