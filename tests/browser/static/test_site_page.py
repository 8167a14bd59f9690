"""The page without a server in a browser, under a path and in a frame of another page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.decode_page import open_chip
from tests.demo.static.site import holding, served

OTHER = "reverse-rnn"
ENGINE = (".safetensors", ".wasm", "/engine.js")  # what a decoding needs
# Waits until these files and all that the page has fetched are stored. The policy of the page forbids the
# usual way, which compiles a text.
STORED = """async (files) => {
  await navigator.serviceWorker.ready;
  for (;;) {
    const keys = await (await caches.open("unrolled")).keys();
    const stored = new Set(keys.map(({ url }) => url.split("?")[0]));
    const fetched = performance.getEntriesByType("resource").map(({ name }) => name.split("?")[0]);
    const isThere = (file) => [...stored].some((address) => address.includes(file));
    if (files.every(isThere) && fetched.every((address) => stored.has(address))) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}"""


def test_results_are_shown_before_any_weights_are_fetched(
    page: Page, site: str, subtests: pytest.Subtests
) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(site)
    outputs = page.locator("#trace .tv-out")
    with subtests.test("the first result needs files of the site alone"):
        expect(outputs.first).to_be_visible()
        expect(page.locator("#run")).to_have_css("background-color", "rgb(0, 114, 178)")
        expect(page.locator("#run")).to_have_css("color", "rgb(255, 255, 255)")
        assert all(url.startswith((site, "data:")) for url in requests)
    with subtests.test("a download that needs a server is absent"):
        buttons = page.locator(".tv-files button")
        expect(buttons.filter(has_text="Page (HTML)")).to_have_count(1)
        expect(buttons.filter(has_text="This in PyTorch")).to_have_count(0)
    with subtests.test("the step moves by a token, and the address follows"):
        outputs.nth(2).click()
        expect(page.locator("#trace .trace-view")).to_have_attribute("data-step", "2")
        expect(page).to_have_url(re.compile(r"[?&]step=3(&|$)"))
    arrows = page.locator("#checkpoint-neighbours button")
    open_chip(page, "checkpoint")
    with subtests.test("a checkpoint that alone reads its kind of source has no arrows"):
        expect(arrows.first).to_be_hidden()
        expect(arrows.last).to_be_hidden()
    with subtests.test("another checkpoint is named, and is in the address"):
        page.locator("#checkpoint select").select_option(OTHER)
        expect(page.locator("#checkpoint-name")).to_contain_text(OTHER)
        expect(page).to_have_url(re.compile(rf"[?&]checkpoint={OTHER}(&|$)"))
        expect(outputs.first).to_contain_text("d")  # of the example "unrolled"
    with subtests.test("an arrow says how many checkpoints it visits, and visits the next"):
        for target in ("reverse-gru", OTHER):
            expect(arrows.last).to_have_text(re.compile(rf"^Next checkpoint of 2 .*: Reversal, .*{target}$"))
            open_chip(page, "checkpoint")
            arrows.last.click()
            expect(page.locator("#checkpoint-name")).to_contain_text(target)
            expect(arrows.last).to_be_hidden()  # the decoding closes its chip
    with subtests.test("the address of a checkpoint opens its example"):
        page.reload()
        expect(page.locator("#checkpoint-name")).to_contain_text(OTHER)
        expect(outputs.first).to_contain_text("d")
    assert not [url for url in requests if url.endswith(ENGINE)]


def test_the_page_opens_by_a_link_with_faults_in_a_frame_and_in_a_language(
    page: Page, site: str, subtests: pytest.Subtests
) -> None:
    with subtests.test("the faults of a link are named"):
        page.goto(f"{site}?tab=decode&checkpoint=missing&colour=red&beam_size=many")
        notice = page.locator(".link-notice")
        for name in ("missing", "colour", "beam_size"):
            expect(notice).to_contain_text(name)
    with subtests.test("the page works in a frame"):
        page.goto(f"{site}../course.html")
        expect(page.frame_locator("iframe").locator("#trace .tv-out").first).to_be_visible()
    with subtests.test("the address sets the language"):
        page.goto(f"{site}?__lang=es")
        expect(page.locator("#run")).to_have_text("Decodificar")
        assert page.locator("html").get_attribute("lang") == "es"


@pytest.mark.full
def test_the_page_opens_without_a_connection_after_a_visit(
    open_window: Callable[..., Page], root: Path, expected_errors: list[str]
) -> None:
    late_labs, released = holding("/lab-")
    page = open_window(service_workers="allow")
    with served(root, late_labs) as address:
        page.goto(f"{address}unrolled/")
        page.evaluate(
            STORED, ["index.html", "drawn.en.json", "lessons/en/course.json", "texts/en/terms.json"]
        )
        released.release(9)  # labs whose service worker began after their fetch
        page.evaluate(STORED, ["lessons/en/lab-"])  # offline, a missing file is an error
        page.context.set_offline(True)
        expected_errors.append("ERR_INTERNET_DISCONNECTED")
        page.reload()
        expect(page.locator("#trace .tv-out").first).to_be_visible()
        page.context.set_offline(False)
