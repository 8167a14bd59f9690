"""Long searches: progress, stopping, another request meanwhile, leaving, two visitors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from demo.service.context import AppContext
from demo.service.decoding import running
from demo.service.decoding.turns import Turns
from tests.browser.decode_page import choose, decode, hypotheses, results, source, visit, wait_for_result
from tests.fakes.paused_search import LONG, PausedWatch
from tests.grids import full_only


@pytest.fixture
def url(inner_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a page whose exact searches last until they are stopped."""
    monkeypatch.setattr(running, "Watch", PausedWatch)
    return inner_url


@pytest.fixture
def visitors(open_window: Callable[[], Page], url: str) -> Callable[[], Page]:
    """`visitors()` is the page of one more visitor."""

    def come() -> Page:
        page = open_window()
        visit(page, url)
        return page

    return come


@pytest.fixture
def app_page(visitors: Callable[[], Page]) -> Page:
    return visitors()


def begin(page: Page) -> int:
    """Start an exact search, which lasts until it is stopped; return the number of earlier results."""
    source(page).fill(LONG)
    before = results(page)
    choose(page, "Exact", decodes=False)  # it does, but not to an end
    expect(page.locator("#stop")).to_be_visible()
    expect(page.locator("#progress")).to_contain_text("; best so far −")
    return before


def at_rest(page: Page) -> None:
    expect(page.locator("#run")).not_to_have_attribute("aria-busy", "true")
    expect(page.locator("#stop")).to_be_hidden()
    expect(page.locator("#progress")).not_to_contain_text("best so far")


def test_a_long_search_shows_progress_and_stops_with_its_best(app_page: Page) -> None:
    at_rest(app_page)
    bounds = app_page.locator("#run").bounding_box()
    before = begin(app_page)
    size = app_page.locator("#command").bounding_box()
    assert hypotheses(app_page)  # the old ones
    app_page.locator("#stop").dblclick()
    wait_for_result(app_page, before)
    expect(app_page.locator("#trace")).to_contain_text("You stopped it, so this is the best so far")
    assert len(hypotheses(app_page)) == 1
    at_rest(app_page)
    assert app_page.locator("#command").bounding_box() == size  # nothing jumps
    assert bounds
    assert app_page.evaluate("document.activeElement.id") == "run"
    choose(app_page, "Greedy")
    assert decode(app_page, "hola")


def test_a_request_during_a_decoding_replaces_the_decoding(app_page: Page) -> None:
    before = begin(app_page)
    choose(app_page, "Greedy")
    source(app_page).fill("hola")
    for _ in range(2):
        app_page.locator("#run").click()
    wait_for_result(app_page, before)
    at_rest(app_page)
    expect(app_page.locator("#trace")).not_to_contain_text("You stopped it")
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")


@pytest.mark.full
def test_stop_ends_only_the_visitors_own_decoding(visitors: Callable[[], Page]) -> None:
    first, second = visitors(), visitors()
    before = begin(first)
    begin(second)
    second.locator("#stop").click()
    at_rest(second)
    expect(first.locator("#stop")).to_be_visible()
    expect(first.locator("#run")).to_have_attribute("aria-busy", "true")
    assert results(first) == before
    first.locator("#stop").click()
    wait_for_result(first, before)


@pytest.mark.full
def test_closing_a_page_frees_its_turn(
    context: AppContext, monkeypatch: pytest.MonkeyPatch, visitors: Callable[[], Page]
) -> None:
    leaving, staying = visitors(), visitors()
    monkeypatch.setattr(context, "turns", Turns(1, 1))  # a single place
    begin(leaving)
    leaving.close()
    assert decode(staying, "hola")


@pytest.mark.parametrize("width", [1440, *full_only([390])])
def test_the_progress_text_fits(page: Page, url: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    visit(page, url)
    source(page).fill(LONG)
    expect(page.locator("#source-tokens .st-chip", has_text="momento")).to_have_count(1)
    height = page.locator("#command").evaluate("card => card.offsetHeight")
    begin(page)
    # Gradio measures the text box anew, to within a pixel.
    assert page.locator("#command").evaluate("card => card.offsetHeight") == pytest.approx(height, abs=1)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.locator("#stop").click()
    at_rest(page)
