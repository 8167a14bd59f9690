"""A trace from a file, dropped or chosen; an invalid file leaves the result as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import serious_violations
from tests.browser.decode_page import (
    EXAMPLE,
    decode,
    hypotheses,
    open_chip,
    results,
    source,
    visit,
    wait_for_result,
)
from tests.browser.link_page import VIEW
from tests.fakes.traces import hostile_trace, library_trace

# Drops a file on the page, as a browser does.
DROP = """text => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], "trace.json", { type: "application/json" }));
  const target = document.querySelector("#trace");
  for (const kind of ["dragover", "drop"])
    target.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
}"""


@pytest.mark.full
def test_traces_from_files_are_shown(page: Page, app_url: str, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, app_url)
    open_chip(page, "share")
    with page.expect_download() as download:
        page.get_by_role("button", name="everything that the search recorded").click()
    download.value.save_as(tmp_path / "own.json")
    exported = hypotheses(page)
    decode(page, "hola")
    current = hypotheses(page)

    for wrong in ("no trace", '{"schema_version": 2, "checkpoint": "<img src=x onerror=alert(1)>"}'):
        page.evaluate(DROP, wrong)
        expect(page.locator("#results .rs-notice")).to_contain_text("trace")
        assert hypotheses(page) == current
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert serious_violations(page) == []

    before = results(page)
    with page.expect_file_chooser() as chooser:
        open_chip(page, "results")
        page.get_by_role("button", name="Open a trace").press("Enter")
    chooser.value.set_files(tmp_path / "own.json")
    wait_for_result(page, before)
    assert hypotheses(page) == exported
    expect(source(page)).to_have_value(EXAMPLE)
    expect(page.locator(VIEW)).to_have_attribute("data-stale", "false")

    # A trace of a checkpoint that is not here, written by a program.
    elsewhere = json.loads(library_trace().to_json()) | {"checkpoint": "elsewhere"}
    page.evaluate(DROP, json.dumps(elsewhere))
    wait_for_result(page, before + 1)
    expect(page.locator("#results .rs-notice")).to_contain_text("The controls stay as they are")
    expect(source(page)).to_have_value(EXAMPLE)
    page.evaluate(DROP, hostile_trace().to_json())
    wait_for_result(page, before + 2)
    open_chip(page, "results")
    expect(page.locator("#results .rs-result")).to_have_count(4)
    assert page.locator("#results img").count() == 0
