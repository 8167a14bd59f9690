"""The card Why: one click to the word that a token needs most."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from demo.inspect.server_functions import on_why
from demo.server.page import Answer
from demo.trace.component import TraceView
from demo.work.context import AppContext
from demo.work.requests.decode import DecodeRequest
from models.decoding.options import DecodingOptions
from tests.browser.accessibility import serious_violations, violations
from tests.browser.bare_page import BarePage
from tests.browser.decode_page import open_tab, visit, wait_for_result

INSPECTED = "inspect=lens&hide=trial,heads"
LIBRARY = "?checkpoint=spa-eng-gru&text=%C2%BFD%C3%B3nde%20est%C3%A1%20la%20biblioteca%3F"
# All cells have the deepest colour of a sign.
DEEPEST = """(cells, sign) => {
  for (const cell of cells) {
    cell.dataset.sign = sign;
    cell.style.setProperty("--share", "1");
  }
}"""


def rows(view: Locator, part: int = 0) -> list[str]:
    """The first cell of each line below a heading of the table."""
    lines = view.locator(".tv-why tbody tr").all_inner_texts()
    heads = [index for index, line in enumerate(lines) if "\t" not in line]
    end = heads[part + 1] if part + 1 < len(heads) else len(lines)
    return [line.split("\t")[0].strip() for line in lines[heads[part] + 1 : end]]


def costliest(view: Locator, part: int = 0) -> str:
    """The token of a part that costs most when it is removed, by the first column of numbers."""
    lines = [line.split("\t") for line in view.locator(".tv-why tbody tr").all_inner_texts()]
    costs = {cells[0].strip(): float(cells[1].replace("−", "-")) for cells in lines if len(cells) > 1}
    return max(rows(view, part), key=costs.__getitem__)


def test_one_click_shows_the_word_that_a_token_needs(
    page: Page, app_url: str, subtests: pytest.Subtests
) -> None:
    visit(page, f"{app_url}{LIBRARY}&{INSPECTED}")
    view = page.locator("#trace .trace-view")
    summary = view.locator(".tv-why-sentence")
    with subtests.test("a view of layers explains that a recurrent network has none"):
        opened = view.locator(".tv-inspect-card.tv-open")
        expect(opened.locator(".tv-inspect-summary")).to_contain_text("Only a Transformer's decoder")
        expect(opened.locator(".tv-inspect-chart:visible")).to_have_count(0)
    with subtests.test("a link hides views"):
        for name in ("trial", "heads"):
            expect(view.locator(f"[data-tab={name}]")).to_be_hidden()
    view.locator("[data-pane-shown=centre]").click()
    with subtests.test("Why names the costliest words"):
        costliest_words_are_named(page, view)
    with subtests.test("Why follows the step"):
        page.locator(".tv-out").first.click()
        expect(summary).to_contain_text("“␣Where” has")
        assert rows(view, 1) == ["start"]
    assert serious_violations(page) == []
    page.locator(".tv-out").nth(3).click()
    expect(summary).to_contain_text("“␣library” has")
    rivals = view.locator(".tv-rival select")
    rivals.select_option(index=1)
    rival = rivals.input_value()
    beats = re.compile(r"“␣library” beats “␣\w+” by \d+\.\d\d nats; without “␣biblioteca” by .+\.")
    with subtests.test("a rival changes the explanation"):
        expect(summary).to_have_text(beats)
    with subtests.test("the address keeps the rival"):
        page.wait_for_url(re.compile(f"rival={rival}"))
        page.reload()
        wait_for_result(page, 0)
        expect(summary).to_have_text(beats)
        expect(rivals).to_have_value(rival)


def costliest_words_are_named(page: Page, view: Locator) -> None:
    page.locator(".tv-out").nth(3).click()
    open_tab(view, "why")
    summary = view.locator(".tv-why-sentence")
    expect(summary).to_contain_text("“␣library” has")
    expect(summary).to_contain_text("In the source it depends most on “␣biblioteca”")
    assert costliest(view) in summary.inner_text()
    assert costliest(view, 1) in summary.inner_text().split("most")[1]
    assert rows(view) == ["␣¿", "Dónde", "␣está", "␣la", "␣biblioteca", "?", "</s>"]
    assert rows(view, 1) == ["start", "␣Where", "␣is", "␣the"]


def test_why_works_without_attention_and_on_a_narrow_screen(bare: BarePage, context: AppContext) -> None:
    def why(data: object) -> Answer:
        return on_why(context, data)

    trace = context.decode(DecodeRequest("spa-eng-lstm", "Ganó el premio.", DecodingOptions()))
    bare.page.set_viewport_size({"width": 390, "height": 844})
    bare.open(TraceView(trace, elem_id="trace", server_functions=[why]))
    view = bare.page.locator("#trace .trace-view")
    open_tab(view, "why")
    expect(view.locator(".tv-why-sentence")).to_contain_text("has")
    titles = view.locator(".tv-why thead th").all_inner_texts()
    assert "word replaced" in titles
    assert not any("attention" in title for title in titles)
    assert bare.page.evaluate("document.documentElement.scrollWidth") == 390
    for scheme in ("light", "dark"):
        bare.page.evaluate("scheme => document.body.classList.toggle('dark', scheme === 'dark')", scheme)
        for sign in ("for", "against"):
            view.locator(".tv-why td").evaluate_all(DEEPEST, sign)
            assert violations(bare.page, ".tv-why-card") == []
