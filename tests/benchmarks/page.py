"""The page through a real browser: click to picture, and start to first answer against an empty app."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.benchmarks.serving import serving
from tests.browser.chromium import FLAGS, find_chromium
from tests.browser.windows import INTRODUCED

CLICKS, STARTS = 15, 5
SENTENCE = "mi hermana quiere comprar una casa grande cerca del mar este verano"  # 12 words
EMPTY_APP = (
    "import os, gradio\nwith gradio.Blocks() as d: pass\nd.launch(server_port=int(os.environ['PORT']))\n"
)

# Counted in the browser from the click to the frame after output and stepper stand there, and to the one
# after the last chart on show is drawn.
STOPWATCH = """() => new Promise(resolve => {
  const view = document.querySelector('#trace .trace-view'), before = view.dataset.ready;
  view.dataset.stale = 'true';
  const started = performance.now();
  let output;
  new MutationObserver((_, observer) => {
    if (view.dataset.stale === 'false')
      output ??= new Promise(seen => requestAnimationFrame(() => seen(performance.now() - started)));
    if (view.dataset.ready === before) return;
    observer.disconnect();
    requestAnimationFrame(async () => resolve([await output, performance.now() - started]));
  }).observe(view, {attributes: true, attributeFilter: ['data-ready', 'data-stale']});
  document.querySelector('#run').click();
})"""


def measure() -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Rows for people, and the two figures."""
    outputs, clicks = zip(*_clicks(), strict=True)
    starts = [(_start("app.py"), _start("-c", EMPTY_APP)) for _ in range(STARTS)]
    ratio = median(ours / empty for ours, empty in starts)
    ours, empty = (median(column) for column in zip(*starts, strict=True))
    example = _first_example()
    rows = [
        {"what": f"click to output and stepper, {CLICKS} clicks", "ours ms": median(outputs)},
        {"what": f"click to picture, {CLICKS} clicks", "ours ms": median(clicks)},
        {"what": "start to first answer", "ours ms": 1000 * ours, "theirs ms": 1000 * empty, "ratio": ratio},
        {"what": "start to a decoded example in the browser", "ours ms": 1000 * example},
    ]
    return rows, {
        "click_to_output_ms": median(outputs),
        "click_to_picture_ms": median(clicks),
        "start_ratio": ratio,
        "first_example_seconds": example,
    }


def _clicks() -> list[list[float]]:
    with serving("app.py") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright), args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(INTRODUCED)
        page.goto(server.url)
        page.wait_for_selector("#trace .trace-view[data-ready]")
        # Two sentences in turn: an answer equal to the one on show would not be sent again.
        durations = [_click(page, SENTENCE + mark) for _ in range(CLICKS // 2 + 2) for mark in (".", "!")]
        browser.close()
    return durations[3:][:CLICKS]  # the first ones load torch and the weights


def _click(page: Page, text: str) -> list[float]:
    page.fill("#source textarea", text)
    page.wait_for_timeout(600)  # let the live tokenization come to rest
    durations: list[float] = page.evaluate(STOPWATCH)
    return durations


def _first_example() -> float:
    """Seconds from the start of the process until a browser that was open has drawn the first example."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright), args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(INTRODUCED)
        started = time.perf_counter()
        with serving("app.py") as server:
            page.goto(server.url)
            page.wait_for_selector("#trace .trace-view[data-ready]")
            seconds = time.perf_counter() - started
        browser.close()
    return seconds


def _start(*arguments: str) -> float:
    """Seconds from the start of the process to the first complete page."""
    started = time.perf_counter()
    with serving(*arguments):
        return time.perf_counter() - started
