"""The page in a real browser: from click to picture, and from start to first answer beside an empty app."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.benchmarks.serving import serving
from tests.browser.charts import bring_plotly
from tests.browser.chromium import FLAGS, find_chromium
from tests.browser.trace_page import with_ranking
from tests.browser.windows import INTRODUCED

CLICKS, STARTS = 15, 5
LARGE_CLICKS, STEPS = 6, 20
SENTENCE = "mi hermana quiere comprar una casa grande cerca del mar este verano"  # 12 words
# 43 words.
LONG = (
    "el viejo maestro que vivia en la casa grande cerca del rio queria comprar un libro para su hermana"
    " porque ella siempre leia por la noche y nunca dormia antes de las doce cuando su madre llegaba del"
    " trabajo muy cansada y triste"
)
BEAM_16 = "?beam_size=16"
# A hundred samples that soon diverge: some 2,000 nodes.
WIDE_TREE = "?strategy=sampling&num_samples=100&temperature=1&max_length=40&seed=1"
DRAWN = "Number(document.querySelector('#trace .trace-view')?.dataset.ready) > 0"
EMPTY_APP = (
    "import os, gradio\nwith gradio.Blocks() as d: pass\nd.launch(server_port=int(os.environ['PORT']))\n"
)

# Measured in the browser from the click to the frame that shows output and stepper, and to the frame that
# shows the last chart.
STOPWATCH = """() => new Promise(resolve => {
  const view = document.querySelector('#trace .trace-view'), before = view.dataset.ready;
  view.dataset.stale = 'true';
  const started = performance.now();
  let output;
  new MutationObserver((_, observer) => {
    if (view.dataset.stale === 'false')
      output ??= new Promise(done => requestAnimationFrame(() => done(performance.now() - started)));
    if (view.dataset.ready === before) return;
    observer.disconnect();
    requestAnimationFrame(async () => resolve([await output, performance.now() - started]));
  }).observe(view, {attributes: true, attributeFilter: ['data-ready', 'data-stale']});
  document.querySelector('#run').click();
})"""

# From the key press to the end of its handler, and to the frame that shows the step.
STEPPED = """async ([steps]) => {
  const view = document.querySelector('#trace .trace-view');
  const nextFrame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  const durations = [];
  for (let step = 0; step < steps; step++) {
    await nextFrame();
    const started = performance.now();
    const key = step < steps / 2 ? 'ArrowRight' : 'ArrowLeft';
    view.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    const handled = performance.now() - started;
    await nextFrame();
    durations.push([handled, performance.now() - started]);
  }
  return durations;
}"""
# From the move of the length penalty to the end of its handler, which ranks the hypotheses.
RANKED = """() => {
  const slider = document.querySelector('#trace .tv-alpha input[type=range]');
  return Array.from({ length: 41 }, (_, at) => {
    slider.value = String(-2 + at / 10);
    const started = performance.now();
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    return performance.now() - started;
  });
}"""
FETCHED = """() => performance.getEntries()
  .reduce(([all, whole], { transferSize = 0, decodedBodySize = 0 }) =>
    [all + transferSize, whole + decodedBodySize], [0, 0])"""
NODES = """() => document.querySelector('.tv-tree').data
  .reduce((sum, { customdata }) => sum + (customdata?.length ?? 0), 0)"""


@dataclass(frozen=True)
class LargeViewTimes:
    """Milliseconds for views with much to draw."""

    long: list[list[float]]  # (clicks, 2) to the output and to all charts
    wide: list[list[float]]  # the same for the wide tree
    stepping: list[list[float]]  # (steps, 2) to the end of the handler and to the frame
    ranking: list[float]  # (moves) to the end of the handler
    nodes: int  # in the wide tree


def measure() -> tuple[list[dict[str, Any]], dict[str, float]]:
    """Return table rows, and the figures by name."""
    outputs, clicks = zip(*_clicks(), strict=True)
    starts = [(_start("app.py"), _start("-c", EMPTY_APP)) for _ in range(STARTS)]
    ratio = median(ours / empty for ours, empty in starts)
    ours, empty = (median(column) for column in zip(*starts, strict=True))
    example, fetched, unpacked = _first_example()
    large = _large()
    long_output, long_picture = _medians(large.long)
    wide_output, wide_picture = _medians(large.wide)
    handled, stepped = _medians(large.stepping)
    ranked = median(large.ranking)
    rows = [
        {"what": f"click to output and stepper, {CLICKS} clicks", "ours ms": median(outputs)},
        {"what": f"click to picture, {CLICKS} clicks", "ours ms": median(clicks)},
        {"what": "start to first answer", "ours ms": 1000 * ours, "theirs ms": 1000 * empty, "ratio": ratio},
        {"what": "start to a decoded example in the browser", "ours ms": 1000 * example},
        {"what": f"fetched until then: {fetched / 1e6:.2f} MB, unpacked {unpacked / 1e6:.2f} MB"},
        {"what": "43 words, beam 16: click to output", "ours ms": long_output},
        {"what": "43 words, beam 16: click to picture", "ours ms": long_picture},
        {"what": f"from output to a tree of {large.nodes} nodes", "ours ms": wide_picture - wide_output},
        {"what": f"a step, {STEPS} keys: handler", "ours ms": handled},
        {"what": f"a step, {STEPS} keys: with the frame", "ours ms": stepped},
        {"what": "16 hypotheses ranked by another α: handler", "ours ms": ranked},
    ]
    return rows, {
        "click_to_output_ms": median(outputs),
        "click_to_picture_ms": median(clicks),
        "start_ratio": ratio,
        "first_example_seconds": example,
        "first_example_bytes": fetched,
        "first_example_bytes_unpacked": unpacked,
        "long_click_to_output_ms": long_output,
        "long_click_to_picture_ms": long_picture,
        "wide_tree_nodes": large.nodes,
        "wide_tree_ms": wide_picture - wide_output,
        "step_handler_ms": handled,
        "step_frame_ms": stepped,
        "ranking_handler_ms": ranked,
    }


def _medians(rows: list[list[float]]) -> list[float]:
    return [median(column) for column in zip(*rows, strict=True)]


def _clicks() -> list[list[float]]:
    with _decode_tab() as page:
        # Two sentences alternate, because an answer equal to the current one would not be sent.
        durations = [_click(page, SENTENCE + mark) for _ in range(CLICKS // 2 + 2) for mark in (".", "!")]
    return durations[3:][:CLICKS]  # the first three load torch and the weights


def _large() -> LargeViewTimes:
    """Measure a long source at beam 16, steps through its output, and a tree of thousands of nodes."""
    with _decode_tab(BEAM_16) as page:
        long = _repeated(page, LONG)
        stepping = page.evaluate(STEPPED, [STEPS])
        with_ranking(page.locator("#trace .trace-view"))
        ranking = page.evaluate(RANKED)
        page.goto(page.url.split("?")[0] + WIDE_TREE)
        page.wait_for_function(DRAWN)
        wide = _repeated(page, LONG)
        bring_plotly(page.locator("#trace .tv-tree"))  # its data has the number of nodes
        return LargeViewTimes(long, wide, stepping, ranking, page.evaluate(NODES))


def _repeated(page: Page, text: str) -> list[list[float]]:
    return [_click(page, text + ".!"[number % 2]) for number in range(LARGE_CLICKS + 2)][2:]


@contextmanager
def _decode_tab(query: str = "") -> Iterator[Page]:
    with serving("app.py") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright), args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(INTRODUCED)
        page.goto(server.url.rstrip("/") + "/" + query)
        page.wait_for_function(DRAWN)
        yield page
        browser.close()


def _click(page: Page, text: str) -> list[float]:
    page.fill("#source textarea", text)
    page.wait_for_timeout(600)  # until the live tokenization has finished
    durations: list[float] = page.evaluate(STOPWATCH)
    return durations


def _first_example() -> tuple[float, int, int]:
    """Return the seconds from the start of the process until an open browser has drawn the first example.

    Also returns the bytes that the browser has fetched by then, packed and unpacked.
    """
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(playwright), args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(INTRODUCED)
        started = time.perf_counter()
        with serving("app.py") as server:
            page.goto(server.url)
            page.wait_for_function(DRAWN)
            seconds = time.perf_counter() - started
            fetched, unpacked = page.evaluate(FETCHED)
        browser.close()
    return seconds, fetched, unpacked


def _start(*arguments: str) -> float:
    """Return the seconds from the start of the process to the first complete page."""
    started = time.perf_counter()
    with serving(*arguments):
        return time.perf_counter() - started
