"""The card Why on the real page: one click to the word that a token needs most."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.accessibility import serious_violations
from tests.browser.bare_page import BarePages
from tests.browser.decode_page import open_tab, visit, wait_for_result
from tests.browser.trace_page import open_view
from tests.fakes.traces import library_trace

LIBRARY = "?checkpoint=spa-eng-gru&text=%C2%BFD%C3%B3nde%20est%C3%A1%20la%20biblioteca%3F"


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


def test_one_click_shows_the_word_that_a_token_needs(page: Page, app_url: str) -> None:
    visit(page, f"{app_url}{LIBRARY}")
    view = page.locator("#trace .trace-view")
    page.locator(".tv-out").nth(3).click()
    open_tab(view, "why")
    summary = view.locator(".tv-why-sentence")
    expect(summary).to_contain_text("“␣library” has")
    expect(summary).to_contain_text("In the source it depends most on “␣biblioteca”")
    assert costliest(view) in summary.inner_text()
    assert costliest(view, 1) in summary.inner_text().split("most")[1]
    assert rows(view) == ["␣¿", "Dónde", "␣está", "␣la", "␣biblioteca", "?", "</s>"]
    assert rows(view, 1) == ["start", "␣Where", "␣is", "␣the"]
    page.locator(".tv-out").first.click()
    expect(summary).to_contain_text("“␣Where” has")
    assert rows(view, 1) == ["start"]
    assert serious_violations(page) == []


def test_choosing_a_rival_changes_the_explanation(page: Page, app_url: str) -> None:
    visit(page, f"{app_url}{LIBRARY}")
    view = page.locator("#trace .trace-view")
    page.locator(".tv-out").nth(3).click()
    open_tab(view, "why")
    summary = view.locator(".tv-why-sentence")
    expect(summary).to_contain_text("has")
    view.locator(".tv-rival select").select_option(index=1)
    expect(summary).to_have_text(
        re.compile(r"“␣library” beats “␣\w+” by \d+\.\d\d nats; without “␣biblioteca” by .+\.")
    )


def test_why_works_without_attention_and_on_a_narrow_screen(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, f"{app_url}?checkpoint=spa-eng-lstm")
    wait_for_result(page, 0)
    view = page.locator("#trace .trace-view")
    page.locator("[data-pane-shown=right]").click()
    open_tab(view, "why")
    expect(view.locator(".tv-why-sentence")).to_contain_text("has")
    titles = view.locator(".tv-why thead th").all_inner_texts()
    assert "word replaced" in titles
    assert not any("attention" in title for title in titles)
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_an_exported_page_explains_that_why_needs_the_server(page: Page, bare: BarePages) -> None:
    view = open_view(page, bare, library_trace())
    open_tab(view, "why")
    expect(view.locator(".tv-why-sentence")).to_have_text("Only the running page can compute this.")
    expect(view.locator(".tv-why tbody tr")).to_have_count(0)
