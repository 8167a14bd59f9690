"""Files from the trace view: the trace, pictures, and a page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from tests.browser.bare_page import BarePage, BareServer
from tests.browser.decode_page import open_more, open_tab
from tests.browser.trace_page import open_trace
from tests.fakes.exported_page import exported_page
from tests.fakes.traces import hostile_trace, library_trace
from tests.waiting import wait

PANES = {"attention": "right", "tree": "centre", "race": "centre", "ranking": "left"}  # by the chart
TITLES = {
    "attention": "Attention",
    "tree": "Tree",
    "race": "Race of the paths",
    "ranking": "Ranking",
    "mass": "Probability mass",
    "cloud": "Samples",
    "utilities": "Agreement of the samples",
}
LEGENDS = {"tree": ("● kept", "◎ finished", "○ pruned", "thicker: more probable"), "attention": ("0.8", "1")}
PAYLOAD = re.compile('(?<=<script type="application/json" id="payload">)(.*?)(?=</script>)', re.DOTALL)
# Records all messages beside a copy button, since each disappears after a while.
MESSAGES = """(copy) => {
  window.messages = [];
  const place = copy.parentElement.querySelector(".tv-copied");
  new MutationObserver(() => window.messages.push(place.textContent)).observe(place, { childList: true });
}"""


def test_a_trace_that_can_be_read_again_and_charts_as_pictures_are_downloaded(
    bare: BarePage, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    trace = library_trace(layers=2, heads=2)
    view = open_trace(bare, trace)
    with subtests.test("the downloaded trace can be read again"):
        trace_can_be_read_again(view, trace, tmp_path / "trace.json")
    open_tab(view, "hypotheses")
    path = tmp_path / "picture"
    for chart, (kind, start) in product(PANES, (("PNG", b"\x89PNG"), ("SVG", b"<svg"))):
        with subtests.test("the chart is saved", chart=chart, kind=kind):
            with view.page.expect_download() as download:
                name = f"Download the {chart} chart as {kind}"
                open_more(view, PANES[chart]).get_by_role("button", name=name).click()
            download.value.save_as(path)
            assert download.value.suggested_filename == f"unrolled-{chart}.{kind.lower()}"
            assert path.read_bytes().startswith(start)
    assert b"length penalty" in path.read_bytes()


@pytest.mark.parametrize("strategy", ["beam", pytest.param("mbr", marks=pytest.mark.full)])
def test_every_picture_says_what_it_shows(
    bare: BarePage, context: AppContext, strategy: str, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    options = DecodingOptions(strategy, beam_size=3, num_samples=6, temperature=1.5, max_length=20)
    view = open_trace(bare, context.decode(DecodeRequest("reverse-gru", "unrolled", options)))
    path = tmp_path / "picture"
    saved = set()
    for buttons in view.locator(".tv-downloads[data-chart]").all():
        chart = str(buttons.get_attribute("data-chart"))
        if view.locator(f"[data-card={chart}][hidden]").count():
            continue  # a chart of another strategy
        with subtests.test("the picture names its title, source, network and strategy", chart=chart):
            with view.page.expect_download() as download:
                buttons.get_by_role("button", name="as SVG", include_hidden=True).evaluate(
                    "(button) => button.click()"
                )
            download.value.save_as(path)
            text = " ".join(re.findall(r"(?<=>)[^<>]+(?=<)", path.read_text("utf-8")))
            for part in (TITLES[chart], "unrolled → ", "reverse-gru · ", *LEGENDS.get(chart, ())):
                assert part in text
            saved.add(chart)
    assert saved == TITLES.keys() - ({"cloud", "utilities"} if strategy == "beam" else {"ranking", "race"})


def trace_can_be_read_again(view: Locator, trace: DecodingTrace, path: Path) -> None:
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


# `wait_for_function` would take the promise of an asynchronous function for a yes.
COPIED_TYPES = "navigator.clipboard.read().then(([item]) => item.types)"


def wait_for_clipboard(page: Page, text: str) -> None:
    wait(lambda: text in str(page.evaluate("navigator.clipboard.readText()")))


@pytest.mark.full
def test_output_tables_and_charts_are_copied(
    open_window: Callable[..., Page], bare_server: BareServer
) -> None:
    page = open_window(permissions=("clipboard-read", "clipboard-write"))
    view = open_trace(BarePage(page, bare_server), library_trace())
    view.get_by_role("button", name="Copy the output").click()
    expect(view.locator(".tv-copied", has_text="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "a library"
    open_more(view, "left").get_by_role("button", name="Copy the next tokens as a table").click()
    wait_for_clipboard(page, "on the path")
    open_tab(view, "hypotheses")
    open_more(view, "left").get_by_role("button", name="Copy the hypotheses as a table").click()
    wait_for_clipboard(page, "the book")
    lines = str(page.evaluate("navigator.clipboard.readText()")).split("\n")
    assert [line.split("\t")[:2] for line in lines] == [
        ["rank", "output"],
        ["1", "a library"],
        ["2", "the book"],
    ]
    copy = open_more(view, "right").get_by_role("button", name="Copy the attention chart as a picture")
    copy.click()
    wait(lambda: "image/png" in page.evaluate(COPIED_TYPES))
    page.evaluate("() => { navigator.clipboard.write = () => Promise.reject(new Error('no')); }")
    copy.evaluate(MESSAGES)
    with page.expect_download() as download:
        copy.click()
    assert download.value.suggested_filename == "unrolled-attention.png"
    page.wait_for_function("messages.some((text) => text.includes('downloaded instead'))")


def test_the_downloaded_page_is_the_one_that_python_writes(bare: BarePage, tmp_path: Path) -> None:
    view = open_trace(bare, hostile_trace())
    with view.page.expect_download() as download:
        view.get_by_role("button", name="page that works offline").click()
    path = tmp_path / "page.html"
    download.value.save_as(path)
    ours, expected = (
        PAYLOAD.split(text) for text in (path.read_text("utf-8"), exported_page(hostile_trace()))
    )
    assert json.loads(ours.pop(1)) == json.loads(expected.pop(1))  # scripts write 1, Python writes 1.0
    assert ours == expected
