"""The search line by line: keys, stops, what follows, and links to a line."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from models.decoding.trace import DecodingTrace
from models.registry.registry import Registry
from tests.browser.bare_page import BarePage
from tests.browser.decode_page import open_tab
from tests.browser.trace_page import expect_selection, open_trace
from tests.fakes.exported_page import exported_page
from tests.source_modules import ROOT

SHOP = "Cerraron la tienda y nos fuimos a casa."
LINK = f"tab=decode&checkpoint=spa-eng-gru&text={SHOP}&strategy=beam&beam_size=2&open=candidates"


@pytest.fixture(scope="module")
def trace() -> DecodingTrace:
    context = AppContext(Registry(ROOT / "checkpoints"), "cpu")
    return context.decode(DecodeRequest("spa-eng-gru", SHOP, DecodingOptions("beam", beam_size=2)))


def lit(view: Locator) -> Locator:
    return view.locator(".tv-listing [aria-current=step]")


def says(view: Locator) -> Locator:
    return view.locator(".tv-line-says")


def variable(view: Locator, name: str) -> Locator:
    return view.locator(".tv-variables table", has=view.page.locator("caption code", has_text=name))


def run_until(view: Locator, stop: str, value: str = "") -> None:
    view.locator(".tv-until select").select_option(stop)
    box = view.locator(".tv-until-value")
    expect(box).to_be_visible(visible=bool(value))
    if value:
        box.fill(value)
    view.locator(".tv-run").click()


def test_keys_go_through_the_lines_and_the_page_follows(
    bare: BarePage, trace: DecodingTrace, subtests: pytest.Subtests
) -> None:
    view = open_trace(bare, trace)
    open_tab(view, "candidates")
    keyboard = view.page.keyboard
    expect(lit(view)).to_have_text("beam, finished = [(0.0, [])], []")
    view.locator(".tv-listing").focus()
    with subtests.test("a line forward and back"):
        keyboard.press("ArrowDown")
        expect(lit(view)).to_contain_text("for length in range")
        expect(says(view)).to_have_text("Token 1 of at most 60 comes next.")
        keyboard.press("ArrowUp")
        keyboard.press("ArrowUp")
        expect(lit(view)).to_have_text("beam, finished = [(0.0, [])], []")
        expect_selection(view, step=0, node=trace.path(trace.hypotheses[0].node)[0].id, hypothesis=0)
    with subtests.test("a step forward, and the tree follows each candidate"):
        for key in ("PageDown", "PageDown", "ArrowDown"):
            keyboard.press(key)
        rows = variable(view, "candidates").locator("tr")
        expect(rows).to_have_count(5)
        expect(rows.locator(".tv-sign[data-status=kept]")).to_have_count(2)
        expect(variable(view, "beam").locator("tr")).to_have_count(3)
        for _ in range(2):
            keyboard.press("ArrowDown")
        first = trace.steps[1].nodes[0]
        expect(says(view)).to_contain_text("Candidate 1 of 4 is")
        expect(view).to_have_attribute("data-node", str(first.id))
        for _ in range(4):
            keyboard.press("ArrowDown")
        expect(variable(view, "beam").locator("tr.tv-fresh")).to_have_count(1)
        expect(says(view)).to_contain_text("is in the beam")
    with subtests.test("the line follows a candidate that the reader chooses"):
        pruned = next(node for node in trace.steps[1].nodes if node.status == "pruned")
        view.locator(f".tv-candidates tr[data-node='{pruned.id}'] button").click()
        expect(says(view)).to_contain_text(f"Candidate {pruned.rank + 1} of 4")
    with subtests.test("to the end"):
        view.locator(".tv-listing").focus()
        keyboard.press("End")
        keyboard.press("ArrowDown")
        expect(lit(view)).to_have_text("return finished")
        expect(says(view)).to_contain_text("The output is “The store was closed")
        expect(view.locator(".tv-line-on")).to_have_attribute("aria-disabled", "true")
    with subtests.test("until a word is lost, and once more"):
        keyboard.press("Home")
        run_until(view, "lost", "they")
        expect(says(view)).to_have_text("It is dropped: the beam has its 2 already.")
        view.locator(".tv-run").click()
        expect(says(view)).to_contain_text("No further line does that.")
    with subtests.test("what the reader types is text"):
        run_until(view, "lost", "<img src=x>(")
        expect(says(view)).to_contain_text("No further line does that.")
        run_until(view, "entropy", "many")
        expect(says(view)).to_contain_text("Type a number.")
        run_until(view, "entropy", "1,5")
        expect(says(view)).to_contain_text("The largest entropy here is")
    with subtests.test("a click runs to a line"):
        view.locator(".tv-listing li", has_text="finished = best").click()
        expect(lit(view)).to_have_text("finished = best(beam_size, finished)")


@pytest.mark.parametrize("width", [1440, 390])
def test_a_link_opens_at_its_line(page: Page, app_url: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    view = page.locator("#trace .trace-view")
    page.goto(f"{app_url}?{LINK}&until=lost:They")
    expect(says(view)).to_have_text("It is dropped: the beam has its 2 already.")
    expect(view.locator(".tv-until-value")).to_have_value("They")
    view.locator(".tv-line-on").click()
    expect(says(view)).to_have_text("The last candidate is decided.")
    page.wait_for_url("**line=*")
    address, sentence = page.url, says(view).inner_text()
    assert "until=lost%3AThey" in address or "until=lost:They" in address
    page.goto("about:blank")
    page.goto(address)
    expect(says(view)).to_have_text(sentence)


@pytest.mark.parametrize(
    ("wish", "fault"),
    [
        ("line=9999", "The link asks for line 9999, but the last one is"),
        ("until=soul", "cannot run until “soul”"),
        ("line=0", "line must be"),
    ],
)
def test_a_link_to_an_absent_line_has_a_notice(page: Page, app_url: str, wish: str, fault: str) -> None:
    page.goto(f"{app_url}?{LINK}&{wish}")
    expect(page.locator(".link-notice")).to_contain_text(fault)
    expect(lit(page.locator("#trace .trace-view"))).to_have_text("beam, finished = [(0.0, [])], []")


def test_an_exported_page_has_the_lines(
    page: Page, trace: DecodingTrace, tmp_path: Path, expected_errors: list[str]
) -> None:
    expected_errors.append("request to another host: file:")
    path = tmp_path / "page.html"
    path.write_text(exported_page(trace), encoding="utf-8")
    page.context.set_offline(True)
    page.goto(path.as_uri())
    view = page.locator(".trace-view")
    open_tab(view, "candidates")
    run_until(view, "closes")
    expect(lit(view)).to_contain_text("attainable(beam[0][0], length)")
    expect(says(view)).to_contain_text("so the search ends")
