"""Required words on the page: as a constraint, in the output's caption, and in the link."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.decode_page import choose, hypotheses, open_rail, results, visit, wait_for_result

WORDS = "Required words"
CAPTION = "#trace [data-caption=must_contain]"


@pytest.mark.parametrize("width", [1440, 390])
def test_every_output_has_the_required_words_and_the_page_shows_their_steps(
    open_window: Callable[..., Page], app_url: str, width: int
) -> None:
    page = open_window(viewport={"width": width, "height": 900})
    visit(page, app_url)
    expect(page.locator(CAPTION)).to_have_text("")
    assert not any("first" in text for text in hypotheses(page))
    open_rail(page)
    page.locator("#constraints button").first.click()
    page.get_by_label(WORDS).fill("first")
    before = results(page)
    page.get_by_label(WORDS).press("Control+Enter")
    wait_for_result(page, before)
    texts = hypotheses(page)
    assert texts
    assert all("first" in text for text in texts)
    expect(page.locator(CAPTION)).to_contain_text("first")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "must_contain=first" in page.url


def test_a_link_sets_required_words_and_greedy_search_refuses_them(page: Page, app_url: str) -> None:
    visit(page, f"{app_url}?must_contain=first,prize&beam_size=6")
    assert all("first" in text and "prize" in text for text in hypotheses(page))
    texts = hypotheses(page)
    choose(page, "Greedy", decodes=False)
    page.locator("#run").click()
    expect(page.locator(".toast-body")).to_be_visible()
    assert hypotheses(page) == texts
