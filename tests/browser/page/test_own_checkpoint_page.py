"""The name of a checkpoint of the reader's own run is a secret: neither the page nor its files show it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from models.training.runs.request import RunRequest, RunState, RunStatus, new_token
from tests.browser.compare_page import choose_mode, compare, wait_for_comparison
from tests.browser.conftest import ROOT, serving
from tests.browser.decode_page import REVERSE, open_chip, results, source, wait_for_result
from tests.browser.windows import PATIENCE
from tests.fakes.training.form import training_context
from tests.fakes.training.small_run import CONFIG

TITLE = "My <b>letters</b>"
# All texts that a visitor may read or hear, visible or not, and the attributes that stand for an element.
TEXTS = """() => [document.title,
  ...[...document.querySelectorAll("body *:not(script, style)")].flatMap((node) => [
    ...[...node.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE).map((child) => child.data),
    ...["title", "aria-label", "alt", "placeholder", "href"].map((name) => node.getAttribute(name)),
    node.value])].filter((text) => typeof text === "string")"""


@pytest.fixture
def own_run(page: Page, tmp_path: Path) -> Iterator[tuple[Page, str]]:
    """The page of a run whose checkpoint is a copy of a shipped one, and the run's id."""
    context = training_context(ROOT / "checkpoints", tmp_path / "runs")
    assert context.training is not None
    run = context.training.runs.create(RunRequest.new(TITLE, CONFIG, new_token()))
    shutil.copytree(ROOT / "checkpoints" / REVERSE, run.best)
    run.write_status(RunStatus(RunState.FINISHED, time.time()))
    with serving(context) as url:
        page.goto(f"{url}?run={run.id}")
        expect(page.locator("#training-run .rv-title")).to_have_text(TITLE, timeout=PATIENCE)
        yield page, run.id
        page.goto("about:blank")


def downloaded(page: Page, button: Locator) -> str:
    with page.expect_download() as download:
        button.click()
    path = Path(download.value.path())
    return download.value.suggested_filename + path.read_text(encoding="utf-8", errors="replace")


def check(page: Page, secret: str) -> None:
    texts = page.evaluate(TEXTS)
    assert any(f"{TITLE} · {secret[-4:]}" in text for text in texts)
    assert [text for text in texts if secret in text] == []


@pytest.mark.full
def test_page_and_files_name_an_own_checkpoint_by_its_runs_title(
    own_run: tuple[Page, str], tmp_path: Path, subtests: pytest.Subtests
) -> None:
    page, secret = own_run
    before = results(page)
    page.locator("#run-open").evaluate("(button) => button.click()")  # hidden before a first evaluation
    wait_for_result(page, before)
    with subtests.test("the Decode tab"):
        open_chip(page, "results")
        expect(page.locator("#results .rs-result").first).to_contain_text(TITLE)
        check(page, secret)
    open_chip(page, "share")
    files = [downloaded(page, page.locator("#share-chip").get_by_text(name)) for name in ("JSON", "HTML")]
    with subtests.test("the Compare tab"):
        page.get_by_role("tab", name="Compare").click()
        wait_for_comparison(page, 0)
        check(page, secret)
        files += [downloaded(page, page.locator(".cp-files").get_by_text(name)) for name in ("CSV", "SVG")]
        choose_mode(page, "Two checkpoints")
        compare(page, "checkpoints")
        expect(page.locator(".cp-side-title").first).to_have_text(f"{TITLE} · {secret[-4:]}")
        check(page, secret)
        files += [downloaded(page, page.locator(".cp-files").get_by_text(name)) for name in ("CSV", "SVG")]
    with subtests.test("the files"):
        assert all(secret[-4:] in file for file in files)
        assert [file[:40] for file in files if secret in file] == []
        exported = tmp_path / "page.html"
        exported.write_text(files[1].removeprefix("unrolled.html"), encoding="utf-8")
        title = f"{TITLE.replace('<', chr(92) + 'u003c')} · {secret[-4:]}"
        assert title in exported.read_text(encoding="utf-8")
    with subtests.test("another language"):
        page.get_by_role("tab", name="Decode", exact=True).click()
        switch_language(page, secret)


def switch_language(page: Page, secret: str) -> None:
    """Switch with a typed text, and look for checkpoint and text."""
    source(page).fill("otters")
    page.get_by_role("combobox", name="Language").select_option("es")
    page.wait_for_selector("html[lang=es] #trace .trace-view.tv-filled")
    expect(page.locator("#checkpoint-name .chip-value")).to_contain_text(f" · {secret[-4:]}")
    expect(source(page)).to_have_value("otters")
    page.wait_for_function(
        "document.querySelector('#trace .trace-view').unrolled?.result()?.request.text === 'otters'"
    )
    assert secret not in page.url
    check(page, secret)
