"""The notebook of the documentation: its cells run, and their frames work without a network."""

from __future__ import annotations

from pathlib import Path

import nbclient
import nbformat
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT
from tests.browser.decode_page import open_tab

LARGEST_FRAME = 1_000_000  # bytes


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> nbformat.NotebookNode:
    """The notebook after a run of all cells."""
    result = nbformat.read(ROOT / "docs" / "notebook.ipynb", as_version=4)
    resources = {"metadata": {"path": str(ROOT / "docs")}}
    nbclient.NotebookClient(result, timeout=None, kernel_name="python3", resources=resources).execute()
    return result


@pytest.mark.full
def test_the_cells_show_their_decodings_offline(
    page: Page, notebook: nbformat.NotebookNode, tmp_path: Path, expected_errors: list[str]
) -> None:
    outputs = [
        output["data"] for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output
    ]
    frames = [data["text/html"] for data in outputs if "text/html" in data]
    first, _plotly, last = frames
    assert max(len(first), len(last)) < LARGEST_FRAME
    assert any("three two one" in data["text/plain"] for data in outputs), (
        "the model of the notebook has learned"
    )
    path = tmp_path / "cells.html"
    path.write_text("".join(frames), encoding="utf-8")
    expected_errors.append("request to another host: file:")  # the page itself
    page.context.set_offline(True)
    page.goto(path.as_uri())
    for index, words in ((0, "I like music very much."), (2, "three two one")):
        frame = page.frame_locator("iframe").nth(index)
        view = frame.locator(".trace-view")
        expect(view).to_have_attribute("data-ready", "1")
        expect(
            view.locator("[data-caption], .tv-hypothesis .tv-text").filter(has_text=words).first
        ).to_be_attached()
        open_tab(view, "mass")
        expect(view.locator(".tv-mass .js-plotly-plot, .tv-mass.js-plotly-plot")).to_be_visible()
