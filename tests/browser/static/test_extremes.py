"""The page without a server where a browser or a connection lacks something."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from playwright.sync_api import Page, expect

from demo.static.site.folder import write_folder
from models.registry.registry import Registry
from tests.demo.static.site import SilentHandler, served

NAME = "reverse-gru"
SLOW = "This browser lacks WebAssembly SIMD"
LOST = "The network could not be loaded. Check the connection, then try again."
LOADING_MILLISECONDS = 120_000  # Python in a browser starts slowly on a busy machine
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
SENTENCE = """async ([address, error]) => {
  const { sentence } = await import(address);
  return sentence(error);
}"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of the server, and in it a folder with one small checkpoint."""
    root = tmp_path_factory.mktemp("extremes")
    write_folder(root / "unrolled", Registry(Path("checkpoints")), [NAME])
    return root


@pytest.fixture(scope="module")
def site(root: Path) -> Iterator[str]:
    """The address of the folder."""
    with served(root) as address:
        yield f"{address}unrolled/"


def decode(page: Page, text: str) -> None:
    page.fill("#source textarea", text)
    page.press("#source textarea", "Enter")


def expect_output(page: Page, text: str) -> None:
    outputs = page.locator("#trace .tv-out")
    expect(outputs).to_have_count(len(text) + 1, timeout=LOADING_MILLISECONDS)
    expect(outputs.first).to_contain_text(text[0])


@pytest.mark.full
def test_a_browser_without_simd_decodes_and_the_page_says_that_it_is_slower(
    page: Page, site: str, root: Path
) -> None:
    folder = root / "without_simd"
    shutil.copytree(root / "unrolled", folder)
    invalid = "export const PRODUCT_WASM = new Uint8Array([0]);\n"  # does not compile, as without SIMD
    (folder / "scripts/static/models/product_wasm.js").write_text(invalid, encoding="utf-8")
    page.add_init_script(COLLECT)
    page.goto(f"{site}../without_simd/?tab=decode&checkpoint={NAME}&text=cat&strategy=greedy")
    expect_output(page, "tac")
    assert any(SLOW in sentence for sentence in page.evaluate("sentences"))


@pytest.mark.full
def test_a_browser_that_stores_nothing_decodes(page: Page, site: str) -> None:
    page.add_init_script(NOTHING_STORED)
    page.goto(f"{site}?tab=decode&checkpoint={NAME}")
    expect(page.locator("#trace .tv-out").first).to_be_visible()
    decode(page, "ab")
    expect_output(page, "ba")


@pytest.mark.parametrize("file", ["model.safetensors", "python.zip", "worker.js"])
def test_a_download_that_breaks_off_is_fetched_again(
    page: Page, root: Path, expected_errors: list[str], file: str
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
        page.goto(f"{address}unrolled/?tab=decode&checkpoint={NAME}&text=cat&strategy=greedy")
        expect(page.locator("#progress [role=status]")).to_have_text(LOST, timeout=LOADING_MILLISECONDS)
        assert page.input_value("#source textarea") == "cat"
        page.click("#run")
        expect_output(page, "tac")
        page.goto("about:blank")


@pytest.mark.full
def test_two_tabs_decode_at_once(open_window: Callable[..., Page], site: str) -> None:
    pages = [open_window(), open_window()]
    for page, text in zip(pages, ("cat", "dog"), strict=True):
        page.goto(f"{site}?tab=decode&checkpoint={NAME}&text={text}&strategy=greedy")
    for page, text in zip(pages, ("tac", "god"), strict=True):
        expect_output(page, text)


def test_a_trace_file_is_drawn_and_another_file_is_refused(page: Page, site: str, tmp_path: Path) -> None:
    example = json.loads((Path("checkpoints") / NAME / "example.json").read_text(encoding="utf-8"))
    other = tmp_path / "other.json"
    other.write_text('{"name": "<script>"}', encoding="utf-8")
    old = tmp_path / "old.json"
    old.write_text(json.dumps({**example, "source_text": "kept"}), encoding="utf-8")
    page.goto(f"{site}?tab=decode&checkpoint={NAME}")
    page.locator("#results-chip .chip-button").click()
    page.set_input_files(".rs-open input", other)
    expect(page.locator(".rs-notice")).to_contain_text(
        "This trace has schema version", timeout=LOADING_MILLISECONDS
    )
    page.set_input_files(".rs-open input", old)
    expect(page.locator("#trace")).to_contain_text("kept")


def test_too_little_memory_has_a_message_of_its_own(page: Page, site: str) -> None:
    page.goto(site)
    error = {"name": "RangeError", "message": "Array buffer allocation failed"}
    text = page.evaluate(SENTENCE, [f"{site}scripts/static/shell/loading.js", error])
    assert text == "This device has too little memory for this checkpoint. Choose a smaller one."
