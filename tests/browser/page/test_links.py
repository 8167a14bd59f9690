"""A link that is opened in a fresh browser shows the state of the page from which it was copied."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from demo.training.tab import LINK
from demo.widgets.strategy_picker.component import presets
from tests.browser.compare_page import choose_mode, compare, comparison, wait_for_comparison
from tests.browser.decode_page import (
    SPANISH,
    change,
    choose,
    open_more,
    open_tab,
    results,
    source,
    visit,
    wait_for_result,
)
from tests.browser.link_page import SAY_NO, VIEW, VIEW_STATE, copied, parameters, restored

FOUR_STRATEGIES = (
    "greedy~beam,beam_size:3,length_penalty:0.7~sampling,seed:7,temperature:1.5"
    "~diverse,num_groups:3,beam_size:6"
)


@pytest.fixture
def fresh(open_window: Callable[..., Page]) -> Callable[..., Page]:
    """`fresh(width)` is a page of a context of its own, which may use the clipboard."""

    def come(width: int = 1440) -> Page:
        page = open_window(permissions=("clipboard-read", "clipboard-write"))
        page.set_viewport_size({"width": width, "height": 900})
        return page

    return come


def test_a_copied_link_restores_exactly_that_view(fresh: Callable[..., Page], app_url: str) -> None:
    page, other = fresh(), fresh()
    visit(page, app_url)
    choose(page, "Diverse beam")
    change(page, "Length penalty α", "0.6")
    before = results(page)
    source(page).fill("Mañana & pasado = lluvia, ¿no? #1+1 🙂")
    source(page).press("Control+Enter")
    wait_for_result(page, before)
    open_tab(page, "hypotheses")
    page.locator(".tv-hypothesis").nth(1).click()
    page.locator(".tv-following").click()
    open_more(page, "left").locator(".tv-merge").check()
    open_tab(page, "ranking")
    page.locator(".tv-kinds label").nth(2).click()
    page.locator(".tv-alpha input").fill("1.25")
    open_tab(page, "tree")
    open_more(page, "right").locator(".tv-strongest").fill("70")
    open_more(page, "centre").locator(".tv-show-pruned").uncheck()
    url = copied(page)
    query = parameters(url)
    assert (query["strategy"], query["length_penalty"], query["hypothesis"]) == ("diverse", "0.6", "2")
    restored(other, url)
    for tab in ("hypotheses", "tree"):
        open_tab(other, tab)
    assert other.evaluate(VIEW_STATE, VIEW) == page.evaluate(VIEW_STATE, VIEW)
    assert source(other).input_value() == source(page).input_value()
    assert copied(other) == url


@pytest.mark.full
def test_a_link_keeps_edits_layer_and_head(
    fresh: Callable[..., Page], app_url: str, subtests: pytest.Subtests
) -> None:
    page, other = fresh(), fresh()
    visit(
        page,
        f"{app_url}?checkpoint=spa-eng-transformer&text=No+s%C3%A9+d%C3%B3nde+vive.&strategy=sampling&seed=7",
    )
    for index in (2, 1):
        before = results(page)
        open_tab(page, "next")
        page.locator(".tv-bars .tv-force").nth(index).click()
        wait_for_result(page, before)
        page.locator(".tv-following").click()
    page.locator(".tv-layer select").select_option(index=2)
    page.locator(".tv-head select").select_option(index=3)
    url = copied(page)
    query = parameters(url)
    assert (query["version"], query["layer"], query["head"], query["seed"]) == ("2", "2", "3", "7")
    restored(other, url)
    expect(other.locator(".tv-version")).to_have_count(3)
    open_tab(page, "versions")  # the edits of the link opened it
    assert other.evaluate(VIEW_STATE, VIEW) == page.evaluate(VIEW_STATE, VIEW)
    with subtests.test("a reload brings back what no link has, an edit of attention"):
        before = results(other)
        open_more(other, "right").locator(".tv-edit-attention").click()
        other.locator(".tv-row-editor .tv-only").nth(1).click()
        other.locator(".tv-row-editor .tv-apply").click()
        wait_for_result(other, before)
        edits = other.locator(".tv-version .tv-what").all_inner_texts()
        other.wait_for_function("history.state.unrolled.look.stored?.version === 3")
        for _ in range(2):  # the second one reads what the first one has written
            other.reload()
            expect(other.locator(VIEW)).to_have_attribute("data-restored", "true")
            expect(other.locator(".tv-version .tv-what")).to_have_text(edits)


@pytest.mark.full
def test_a_link_keeps_a_comparison(fresh: Callable[..., Page], app_url: str) -> None:
    page, other = fresh(), fresh()
    link = f"tab=compare&text=hola+amigo&reference=hello&strategies={FOUR_STRATEGIES}"
    page.goto(f"{app_url}?{link}&sort=-logProb&pinned=2")
    wait_for_comparison(page, 0)
    expect(page.locator(".cp-rows tbody tr")).to_have_count(4)
    # Three strategies are no presets.
    expect(page.locator("#compare-strategies .sp-option")).to_have_count(len(presets()) + 3)
    page.get_by_role("button", name="Greedy", exact=True).click()
    expect(page.locator("#compare-trace .trace-view")).to_have_attribute("data-ready", "1")
    page.locator("#compare-trace .tv-following").click()
    url = copied(page, "compare")
    assert {"opened": "1", "step": "2", "sort": "-logProb"}.items() <= parameters(url).items()
    restored(other, url, "#compare-trace .trace-view")
    states = [tab_page.evaluate(VIEW_STATE, "#compare-trace .trace-view") for tab_page in (page, other)]
    assert states[0] == states[1]
    assert comparison(other) == comparison(page)
    choose_mode(page, "Minimal pair")
    compare(page, "inputs")
    page.locator(".cp-side .cp-pin").nth(1).click()
    other.goto(copied(page, "compare"))
    wait_for_comparison(other, 0)
    assert comparison(other) == comparison(page)


@pytest.mark.full
def test_a_path_without_a_hypothesis_opens_at_the_step_on_show(
    fresh: Callable[..., Page], app_url: str
) -> None:
    page, other = fresh(), fresh()
    restored(page, f"{app_url}?checkpoint={SPANISH}&text=No+s%C3%A9.&node=12")
    view = page.locator(VIEW)
    expect(view).to_have_attribute("data-hypothesis", "-1")
    for step in ("1", "0"):
        expect(view).to_have_attribute("data-step", step)
        restored(other, copied(page))
        expect(other.locator(VIEW)).to_have_attribute("data-step", step)
        page.locator("#trace .tv-range").press("Home")


@pytest.mark.full
def test_the_link_of_a_run_is_copied_or_shown(fresh: Callable[..., Page], app_url: str) -> None:
    page, other = fresh(), fresh()
    other.add_init_script(SAY_NO)
    dialogs: list[str] = []
    other.on("dialog", lambda dialog: (dialogs.append(dialog.default_value), dialog.dismiss()))
    for tab_page in (page, other):
        visit(tab_page, app_url)
        tab_page.get_by_role("tab", name="Training").click()
        tab_page.locator("#run-link").wait_for(state="attached")
    for _ in range(2):  # the second time, it still says that it has copied
        page.evaluate(f"({LINK})('a-run')")
    assert page.evaluate("navigator.clipboard.readText()") == f"{app_url}?run=a-run"
    expect(page.locator("#run-link")).to_have_text("Copied")
    expect(page.locator("#run-link")).to_have_text("Copy link")
    other.evaluate(f"({LINK})('a-run')")
    assert dialogs == [f"{app_url}?run=a-run"]


def test_faults_of_a_link_are_shown_as_text_and_the_rest_applies(page: Page, app_url: str) -> None:
    hostile = "%3Cimg src%3Dx onerror%3Dalert(1)%3E"
    wrong = f"checkpoint=spa-eng-gro&beam_size=99&{hostile}=1&hypothesis=16&seed=3&seed=4&forced=999999"
    wrong += "&must_contain=%E6%97%A5%E6%9C%AC"
    page.goto(f"{app_url}?text=hola&{wrong}&half=%ED%A0%BD%")
    notice = page.locator(".link-notice")
    expected_parts = (
        "did you mean 'spa-eng-gru'",
        "got 99",
        "<img src=x onerror=",
        "more than once",
        "cannot use “日本”",
        "asks for hypothesis 16",
    )
    for sentence in expected_parts:
        expect(notice).to_contain_text(sentence)
    assert notice.locator("img").count() == 0
    expect(page.locator(".toast-body")).to_contain_text("There is no token 999999")
    assert source(page).input_value() == "hola"
    expect(page.locator("#trace .tv-hypothesis .tv-text")).not_to_have_count(0)
    notice.get_by_role("button").click()
    expect(notice).to_be_hidden()
    page.goto(f"{app_url}?text=hola&strategy=exhaustive")  # nothing can be decoded
    expect(page.locator("#trace .tv-empty")).to_contain_text("exhaustive search scores no more than")
    expect(page.get_by_label("Exhaustive", exact=True)).to_be_checked()


@pytest.mark.full
def test_a_huge_link_is_left_alone(page: Page, app_url: str) -> None:
    for size in (20_000, 50_000):  # the second one is more than Gradio can read
        visit(page, f"{app_url}?__theme=dark&text={'x' * size}")
        expect(page.locator(".link-notice")).to_contain_text("so it was left alone")
        expect(page.locator("body")).to_have_class("dark")
