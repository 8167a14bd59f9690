"""Files from the trace view: the trace, pictures, and a page that works offline."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from models.decoding.trace import DecodingTrace
from tests.browser.bare_page import BarePages
from tests.browser.charts import bring_plotly, click_point
from tests.browser.decode_page import open_more, open_tab
from tests.browser.trace_page import NODE_AT, Show, expect_selection, open_view
from tests.fakes.exported_page import exported_page
from tests.fakes.traces import hostile_trace, library_trace

PAYLOAD = re.compile('(?<=<script type="application/json" id="payload">)(.*?)(?=</script>)', re.DOTALL)
# Records all messages beside a copy button, since each disappears after a while.
MESSAGES = """(copy) => {
  window.messages = [];
  const place = copy.parentElement.querySelector(".tv-copied");
  new MutationObserver(() => window.messages.push(place.textContent)).observe(place, { childList: true });
}"""


@pytest.fixture
def show(page: Page, bare: BarePages) -> Show:
    return partial(open_view, page, bare)


def test_the_downloaded_trace_can_be_read_again(show: Show, tmp_path: Path) -> None:
    trace = library_trace(layers=2, heads=2)
    view = show(trace)
    path = tmp_path / "trace.json"
    with view.page.expect_download() as download:
        view.get_by_role("button", name="everything that the search recorded").click()
    download.value.save_as(path)
    read = DecodingTrace.from_json(path.read_text(encoding="utf-8"))
    assert read.source == trace.source
    assert [h.text for h in read.hypotheses] == ["a library", "the book"]
    for ours, theirs in zip(trace.nodes.values(), read.nodes.values(), strict=True):
        assert (theirs.id, theirs.parent, theirs.token, theirs.status, theirs.reason) == (
            ours.id, ours.parent, ours.token, ours.status, ours.reason,
        )  # fmt: skip
        assert theirs.cumulative == pytest.approx(ours.cumulative, abs=1e-6)
    attention = read.steps[1].rows[0].attention
    assert attention is not None
    assert attention[1][0] == pytest.approx(trace.steps[1].rows[0].attention[1][0], abs=1e-4)


def test_each_chart_is_saved_as_a_picture(show: Show, tmp_path: Path) -> None:
    view = show(library_trace())
    path = tmp_path / "picture"
    panes = {"attention": "right", "tree": "centre", "race": "centre", "ranking": "left"}
    open_tab(view, "hypotheses")
    for chart, (kind, start) in product(panes, (("PNG", b"\x89PNG"), ("SVG", b"<svg"))):
        with view.page.expect_download() as download:
            name = f"Download the {chart} chart as {kind}"
            open_more(view, panes[chart]).get_by_role("button", name=name).click()
        download.value.save_as(path)
        assert download.value.suggested_filename == f"unrolled-{chart}.{kind.lower()}"
        assert path.read_bytes().startswith(start)


@pytest.mark.full
def test_output_tables_and_charts_are_copied(
    open_window: Callable[..., Page], bare: BarePages, tmp_path: Path
) -> None:
    page = open_window(permissions=("clipboard-read", "clipboard-write"))
    view = open_view(page, bare, library_trace())
    view.get_by_role("button", name="Copy the output").click()
    expect(view.locator(".tv-copied", has_text="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "a library"
    open_more(view, "left").get_by_role("button", name="Copy the next tokens as a table").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()).includes('on the path')")
    open_tab(view, "hypotheses")
    open_more(view, "left").get_by_role("button", name="Copy the hypotheses as a table").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()).includes('the book')")
    lines = str(page.evaluate("navigator.clipboard.readText()")).split("\n")
    assert [line.split("\t")[:2] for line in lines] == [
        ["rank", "output"],
        ["1", "a library"],
        ["2", "the book"],
    ]
    copy = open_more(view, "right").get_by_role("button", name="Copy the attention chart as a picture")
    copy.click()
    page.wait_for_function("async () => (await navigator.clipboard.read())[0].types.includes('image/png')")
    page.evaluate("() => { navigator.clipboard.write = () => Promise.reject(new Error('no')); }")
    copy.evaluate(MESSAGES)
    with page.expect_download() as download:
        copy.click()
    assert download.value.suggested_filename == "unrolled-attention.png"
    page.wait_for_function("messages.some((text) => text.includes('downloaded instead'))")


def test_the_downloaded_page_is_the_one_that_python_writes(show: Show, tmp_path: Path) -> None:
    view = show(hostile_trace())
    with view.page.expect_download() as download:
        view.get_by_role("button", name="page that works offline").click()
    path = tmp_path / "page.html"
    download.value.save_as(path)
    ours, expected = (
        PAYLOAD.split(text) for text in (path.read_text("utf-8"), exported_page(hostile_trace()))
    )
    assert json.loads(ours.pop(1)) == json.loads(expected.pop(1))  # scripts write 1, Python writes 1.0
    assert ours == expected


def test_the_exported_page_works_offline(page: Page, tmp_path: Path, expected_errors: list[str]) -> None:
    expected_errors.append("request to another host: file:")  # the page itself
    path = tmp_path / "page.html"
    path.write_text(exported_page(hostile_trace()), encoding="utf-8")
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.context.set_offline(True)
    page.goto(path.as_uri())
    view = page.locator(".trace-view")
    expect(view).to_have_attribute("data-ready", "1")
    trace = hostile_trace()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{trace.checkpoint} · Beam 4, α 1")
    expect(page.locator("#about p")).to_have_text(trace.source_text)
    view.get_by_role("button", name="Next step").click()
    expect_selection(view, step=1, node=2, hypothesis=0)
    tree = view.locator(".tv-tree")
    bring_plotly(tree)
    click_point(tree, tree.evaluate(NODE_AT, 3))
    expect_selection(view, step=1, node=3, hypothesis=-1)
    expect(view.locator(".tv-heatmap .ytick text").last).to_have_text("{{value}}")
    assert [url for url in requests if not url.startswith(("file:", "blob:", "data:"))] == []
