"""The page without a server where a browser or a connection lacks something."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from playwright.sync_api import Page, expect

from tests.browser.decode_page import choose_example
from tests.demo.static.decodings import CHECKPOINTS
from tests.demo.static.site import SilentHandler, served
from tests.grids import full_only, release_only

NAME = "reverse-gru"
SLOW = "This browser lacks WebAssembly SIMD"
LOST = "The network could not be loaded. Check the connection, then try again."
# A browser whose reader forbids that a page stores anything.
NOTHING_STORED = """
for (const name of ["localStorage", "sessionStorage", "caches", "indexedDB"])
  Object.defineProperty(globalThis, name, { get() { throw new DOMException("denied", "SecurityError"); } });
const register = async () => { throw new Error("denied"); };
Object.defineProperty(navigator.serviceWorker, "register", { value: register });
"""
# The sentences of the page that the reader saw, in their order.
COLLECT = """
globalThis.sentences = [];
new MutationObserver(() => {
  const text = document.querySelector("#progress [role=status]")?.textContent;
  if (text && globalThis.sentences.at(-1) !== text) globalThis.sentences.push(text);
}).observe(document, { childList: true, subtree: true, characterData: true });
"""


def decode(page: Page, text: str) -> None:
    page.fill("#source textarea", text)
    page.press("#source textarea", "Enter")


def expect_output(page: Page, text: str) -> None:
    outputs = page.locator("#trace .tv-out")
    expect(outputs).to_have_count(len(text) + 1)
    expect(outputs.first).to_contain_text(text[0])


@pytest.mark.full
def test_a_browser_without_simd_decodes_and_the_page_says_that_it_is_slower(
    page: Page, root: Path, tmp_path: Path
) -> None:
    module = tmp_path / "product_wasm.js"  # does not compile, as without SIMD
    module.write_text("export const PRODUCT_WASM = new Uint8Array([0]);\n", encoding="utf-8")

    class WithoutSimd(SilentHandler):
        def translate_path(self, path: str) -> str:
            return str(module) if path.endswith(module.name) else super().translate_path(path)

    page.add_init_script(COLLECT)
    with served(root, WithoutSimd) as address:
        page.goto(f"{address}unrolled/?tab=decode&checkpoint={NAME}&text=cat&strategy=greedy")
        expect_output(page, "tac")
        assert any(SLOW in sentence for sentence in page.evaluate("sentences"))
        page.goto("about:blank")


@pytest.mark.full
def test_a_browser_that_stores_nothing_decodes(page: Page, site: str) -> None:
    page.add_init_script(NOTHING_STORED)
    page.goto(f"{site}?tab=decode&checkpoint={NAME}")
    expect(page.locator("#trace .tv-out").first).to_be_visible()
    force_a_token(page)  # which starts the decoder
    decode(page, "ab")
    expect_output(page, "ba")


@pytest.mark.parametrize(
    "file", ["model.safetensors", *full_only(["python.zip"]), *release_only(["worker.js"])]
)
def test_a_page_whose_download_broke_off_decodes_texts_edits_and_reads_files(
    page: Page, root: Path, tmp_path: Path, expected_errors: list[str], file: str, subtests: pytest.Subtests
) -> None:
    expected_errors.append("ERR_")

    class BreaksOff(SilentHandler):
        """Sends half of one file, once."""

        unsent: ClassVar[list[str]] = [file]

        def copyfile(self, source: Any, outputfile: Any) -> None:
            if Path(self.path).name not in self.unsent:
                return super().copyfile(source, outputfile)
            self.unsent.clear()
            content = source.read()
            outputfile.write(content[: len(content) // 2])
            self.close_connection = True
            return None

    with served(root, BreaksOff) as address:
        page.goto(f"{address}unrolled/?tab=decode&checkpoint={NAME}&text=cat")
        with subtests.test("the page says so, keeps the text, and fetches the file again"):
            expect(page.locator("#progress [role=status]")).to_have_text(LOST)
            assert page.input_value("#source textarea") == "cat"
            page.click("#run")
            expect_output(page, "tac")
        with subtests.test("a typed text is decoded"):
            decode(page, "ab")
            expect_output(page, "ba")
        with subtests.test("a token is forced on the stored example"):
            choose_example(page, 0)
            expect_output(page, "dellornu")
            force_a_token(page)
        with subtests.test("a trace file is drawn and another file is refused"):
            open_files(page, tmp_path)
        page.goto("about:blank")


def force_a_token(page: Page) -> None:
    """Replace the first token of a stored trace."""
    first = page.locator("#trace .tv-out").first
    first.click()
    before = first.inner_text()
    page.locator("#trace .tv-next:not(.tv-chosen)").first.hover()
    page.locator("#trace .tv-force[type=button]:visible").first.click()
    expect(page).to_have_url(re.compile(r"[?&]forced=\d+&version=1"))
    expect(first).not_to_have_text(before)


def open_files(page: Page, folder: Path) -> None:
    """Open a file that is no trace, then one that is."""
    other, old = folder / "other.json", folder / "old.json"
    other.write_text('{"name": "<script>"}', encoding="utf-8")
    example = json.loads((CHECKPOINTS / NAME / "example.json").read_text(encoding="utf-8"))
    old.write_text(json.dumps({**example, "source_text": "kept"}), encoding="utf-8")
    page.locator("#results-chip .chip-button").click()
    page.set_input_files(".rs-open input", other)
    expect(page.locator(".rs-notice")).to_contain_text("This trace has schema version")
    page.set_input_files(".rs-open input", old)
    expect(page.locator("#trace")).to_contain_text("kept")


@pytest.mark.release
def test_two_tabs_decode_at_once(open_window: Callable[..., Page], site: str) -> None:
    pages = [open_window(), open_window()]
    for page, text in zip(pages, ("cat", "dog"), strict=True):
        page.goto(f"{site}?tab=decode&checkpoint={NAME}&text={text}&strategy=greedy")
    for page, text in zip(pages, ("tac", "god"), strict=True):
        expect_output(page, text)
