"""The page without a server in a browser, under a path and in a frame of another page."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from demo.static.site.folder import write_folder
from models.registry.registry import Registry
from tests.demo.static.site import SilentHandler, served

FIRST, OTHER = "reverse-gru", "reverse-rnn"
LAB_SECONDS = 2.0
LOADING_SECONDS = 120  # Python in a browser starts slowly on a busy machine
# Waits until the files are stored. The policy of the page forbids the usual way, which compiles a text.
STORED = """async (files) => {
  await navigator.serviceWorker.ready;
  for (;;) {
    const keys = await (await caches.open("unrolled")).keys();
    if (files.every((file) => keys.some(({ url }) => url.includes(file)))) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}"""
FRAME = '<!doctype html><title>A course</title><iframe src="unrolled/" width="1200" height="800"></iframe>'


class SlowLabs(SilentHandler):
    """Serves the content of labs so late that the page is stored for offline use before it arrives."""

    def send_head(self) -> Any:
        """See the base class."""
        if "/lab-" in self.path:
            time.sleep(LAB_SECONDS)
        return super().send_head()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of files, with the folder under /unrolled/ and a page that frames it."""
    root = tmp_path_factory.mktemp("served")
    write_folder(root / "unrolled", Registry(Path("checkpoints")), [FIRST, OTHER])
    (root / "course.html").write_text(FRAME, encoding="utf-8")
    with served(root, SlowLabs) as address:
        yield address


def test_the_first_result_is_shown_before_any_weights_are_fetched(page: Page, site: str) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"{site}unrolled/")
    expect(page.locator("#trace .tv-out").first).to_be_visible()
    expect(page.locator("#run")).to_have_css("background-color", "rgb(0, 114, 178)")
    expect(page.locator("#run")).to_have_css("color", "rgb(255, 255, 255)")
    assert all(url.startswith((site, "data:")) for url in requests)
    assert not [url for url in requests if url.endswith((".safetensors", ".wasm"))]


def test_a_download_that_needs_a_server_is_absent(page: Page, site: str) -> None:
    page.goto(f"{site}unrolled/?tab=decode&checkpoint={FIRST}")
    buttons = page.locator(".tv-files button")
    expect(buttons.filter(has_text="Page (HTML)")).to_have_count(1)
    expect(buttons.filter(has_text="This in PyTorch")).to_have_count(0)


def test_a_token_is_forced_on_the_stored_example(page: Page, site: str) -> None:
    page.goto(f"{site}unrolled/?tab=decode&checkpoint={FIRST}&step=1")
    tokens = page.locator("#trace .tv-out")
    expect(tokens.first).to_be_visible()
    before = tokens.first.inner_text()
    page.locator("#trace .tv-next:not(.tv-chosen)").first.hover()
    page.locator("#trace .tv-force[type=button]:visible").first.click()
    expect(page).to_have_url(re.compile(r"[?&]forced=\d+&version=1"), timeout=1000 * LOADING_SECONDS)
    expect(tokens.first).not_to_have_text(before)


def test_the_step_moves_by_key_and_the_address_follows(page: Page, site: str) -> None:
    page.goto(f"{site}unrolled/?tab=decode&checkpoint={FIRST}")
    expect(page.locator("#trace .tv-out").first).to_be_visible()
    page.locator("#trace .tv-out").nth(2).click()
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-step", "2")
    expect(page).to_have_url(re.compile(r"[?&]step=3(&|$)"))


def test_a_text_is_decoded_in_the_browser(page: Page, site: str) -> None:
    page.goto(f"{site}unrolled/?tab=decode&checkpoint={FIRST}&text=cat&strategy=greedy")
    outputs = page.locator("#trace .tv-out")
    expect(outputs).to_have_count(4, timeout=LOADING_SECONDS * 1000)
    expect(outputs.first).to_contain_text("t")
    page.fill("#source textarea", "ab")
    page.press("#source textarea", "Enter")
    expect(outputs).to_have_count(3)
    expect(outputs.first).to_contain_text("b")


def test_another_checkpoint_is_named_and_is_in_the_address(page: Page, site: str) -> None:
    page.goto(f"{site}unrolled/")
    page.locator("#checkpoint-name .chip-button").click()
    page.locator("#checkpoint select").select_option(OTHER)
    expect(page.locator("#checkpoint-name")).to_contain_text(OTHER)
    expect(page).to_have_url(re.compile(rf"[?&]checkpoint={OTHER}(&|$)"))


def test_the_address_sets_the_language(page: Page, site: str) -> None:
    page.goto(f"{site}unrolled/?__lang=es")
    expect(page.locator("#run")).to_have_text("Decodificar")
    assert page.locator("html").get_attribute("lang") == "es"


def test_the_page_works_in_a_frame(page: Page, site: str) -> None:
    page.goto(f"{site}course.html")
    frame = page.frame_locator("iframe")
    expect(frame.locator("#trace .tv-out").first).to_be_visible()


@pytest.mark.full
def test_the_page_opens_without_a_connection_after_a_visit(
    open_window: Callable[..., Page], site: str, expected_errors: list[str]
) -> None:
    page = open_window(service_workers="allow")
    page.goto(f"{site}unrolled/")
    # The first lab arrives after the service worker has started. Offline, a missing file is an error.
    page.evaluate(STORED, ["index.html", "drawn.en.json", "lessons/en/course.json", "lessons/en/lab-"])
    page.context.set_offline(True)
    expected_errors.append("ERR_INTERNET_DISCONNECTED")
    page.reload()
    expect(page.locator("#trace .tv-out").first).to_be_visible()
    page.context.set_offline(False)


def test_faults_of_a_link_are_named(page: Page, site: str) -> None:
    page.goto(f"{site}unrolled/?tab=decode&checkpoint=missing&colour=red&beam_size=many")
    notice = page.locator(".link-notice")
    for name in ("missing", "colour", "beam_size"):
        expect(notice).to_contain_text(name)
