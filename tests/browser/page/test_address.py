"""The address follows the current result; Back, reload and the list of results restore earlier ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Request, Route, expect

from demo.work.operator.settings import TABS
from tests.browser.charts import bring_plotly
from tests.browser.compare_page import compare, comparison, tick, wait_for_comparison
from tests.browser.decode_page import (
    EXAMPLE,
    REVERSE,
    choose,
    choose_checkpoint,
    decode,
    hypotheses,
    open_chip,
    open_tab,
    results,
    source,
    visit,
    wait_for_result,
)
from tests.browser.link_page import VIEW, parameters

HUB = "https://huggingface.co/spaces/ann/unrolled"
# The Hub's page around a Space handles this message as its documentation says. A page of another network may
# frame one of this machine if the page and the browser allow it.
HUB_PAGE = """<!doctype html><title>Space</title><link rel="icon" href="data:,">
<iframe src="{url}" width="1400" height="900" allow="local-network-access *"></iframe>
<script>addEventListener("message", ({{ data, origin }}) => {{
  if (origin + "/" !== "{url}" || data.queryString === undefined) return;
  history.replaceState(null, "", "?" + data.queryString);
}});</script>"""
# A chart refers to the element that clips it. With the whole address in it, the reference would break with
# the next address.
CUT_BY_ADDRESS = "#trace [clip-path*='http']"


def expect_address(page: Page, **values: str) -> None:
    """Wait until the address has all these parameters; an empty text means that one is absent."""
    page.wait_for_function(
        """values => {
          const has = new URL(location.href).searchParams;
          return Object.entries(values).every(([name, value]) => (has.get(name) ?? "") === value);
        }""",
        arg=values,
    )


def go_back(page: Page, *, forward: bool = False) -> None:
    """Go back, or forward, to another result, and wait until it is drawn."""
    before = results(page)
    page.evaluate("forward => history.go(forward ? 1 : -1)", forward)
    wait_for_result(page, before)


def is_decoding(request: Request) -> bool:
    """Whether a request is for a decoding, or enters the queue."""
    return "queue/join" in request.url or '"begin_' in (request.post_data or "")


def test_the_address_brings_results_and_tabs_back(
    page: Page, app_url: str, subtests: pytest.Subtests
) -> None:
    runs: list[str] = []
    visit(page, f"{app_url}?__theme=dark")
    with subtests.test("the address follows the result"):
        edited = make_results(page)
    page.on("request", lambda request: runs.append(request.url) if is_decoding(request) else None)
    with subtests.test("Back and Forward restore results"):
        go_through_the_results(page, edited)
    with subtests.test("the list of results restores the last one"):
        reopen_the_last_result(page)
    with subtests.test("nothing was decoded again"):
        assert runs == []
    with subtests.test("a reload decodes the result again"):
        page.reload()
        wait_for_result(page, 0)
        assert source(page).input_value() == "hola"
        go_back(page)  # the result from before the reload
        expect(source(page)).to_have_value(EXAMPLE)
        expect(page.locator(VIEW)).to_have_attribute("data-step", "1")
        assert runs
    with subtests.test("the address keeps the tab"):
        keep_the_tab(page, app_url)


def make_results(page: Page) -> list[str]:
    """Make four results and return the hypotheses of the third one, an edited one."""
    assert parameters(page.url) == {"__theme": "dark"}  # the address of the visit
    page.locator("#trace .tv-following").click()
    expect_address(page, step="2", text=EXAMPLE, __theme="dark")
    decode(page, "hola")
    expect_address(page, text="hola", step="", __theme="dark")
    bring_plotly(page.locator("#trace .tv-tree"))
    expect(page.locator("#trace [clip-path]")).not_to_have_count(0)
    expect(page.locator(CUT_BY_ADDRESS)).to_have_count(0)
    choose(page, "Greedy")
    before = results(page)
    open_tab(page, "next")
    page.locator(".tv-bars .tv-force").nth(1).click()
    wait_for_result(page, before)
    expect_address(page, strategy="greedy", version="1")
    edited = hypotheses(page)
    choose_checkpoint(page, REVERSE)
    expect_address(page, checkpoint=REVERSE)
    return edited


def go_through_the_results(page: Page, edited: list[str]) -> None:
    go_back(page)
    expect_address(page, strategy="greedy", version="1")
    expect(source(page)).to_have_value("hola")
    expect(page.locator("#checkpoint-name .chip-value")).to_contain_text("spa-eng-gru")
    expect(page.locator(".tv-version")).to_have_count(2)
    assert hypotheses(page) == edited
    go_back(page)
    expect(page.locator("#strategy-chip .chip-value")).to_have_text("Beam 4")
    go_back(page)
    expect(source(page)).to_have_value(EXAMPLE)
    expect(page.locator(VIEW)).to_have_attribute("data-step", "1")
    expect(page.locator(VIEW)).to_have_attribute("data-stale", "false")
    go_back(page, forward=True)
    expect(source(page)).to_have_value("hola")


def reopen_the_last_result(page: Page) -> None:
    open_chip(page, "results")
    earlier = page.locator("#results .rs-result")
    expect(earlier).to_have_count(4)
    expect(page.locator("#results [aria-current]")).to_contain_text("Beam 4")
    expect(page.locator("#results .rs-changes")).to_have_count(1)
    expect(earlier.nth(1)).to_contain_text("at step 1")
    before = results(page)
    earlier.first.focus()
    page.keyboard.press("Enter")
    wait_for_result(page, before)
    expect_address(page, checkpoint=REVERSE, strategy="greedy")
    expect(page.locator("#results-chip .chip-button")).to_be_focused()
    expect(page.locator("#checkpoint-name .chip-value")).to_contain_text(REVERSE)
    go_back(page)
    expect_address(page, checkpoint="spa-eng-gru", text="hola")


def keep_the_tab(page: Page, url: str) -> None:
    tab = page.get_by_role("tab", name="Checkpoints")
    tab.click()
    expect(page).to_have_url(f"{url}?__theme=dark&tab=checkpoints")
    page.reload()
    expect(tab).to_have_attribute("aria-selected", "true")
    expect(page.locator("#tabs > .tab-wrapper [role=tab]")).to_have_count(len(TABS))
    page.goto(f"{url}?tab=checkpoints&checkpoint=spa-eng-lstm")
    expect(page.locator(".cg-card:visible")).to_have_count(1)
    expect(page.locator('.cg-item[data-name="spa-eng-lstm"] .cg-body')).to_be_visible()


@pytest.mark.full
def test_the_address_brings_a_comparison_and_the_decoding_before_it_back(
    page: Page, app_url: str, open_window: Callable[..., Page], subtests: pytest.Subtests
) -> None:
    visit(page, f"{app_url}?strategy=greedy")
    decode(page, "hola")
    page.get_by_role("tab", name="Compare").click()
    wait_for_comparison(page, 0)
    tick(page, "Greedy", "Beam 4")
    page.locator("#compare-reference textarea").fill("hi there")
    compare(page)
    page.get_by_role("columnheader", name="log p").get_by_role("button").click()
    expect_address(page, tab="compare", text="hola", reference="hi there", sort="-logProb")
    rows, address = comparison(page), page.url
    with subtests.test("another browser"):
        other = open_window()
        other.goto(address)
        wait_for_comparison(other, 0)
        assert comparison(other) == rows
    with subtests.test("a reload"):
        page.reload()
        wait_for_comparison(page, 0)
        assert comparison(page) == rows
        open_decode(page)
    with subtests.test("a switch of the language"):
        page.get_by_role("tab", name="Compare").click()
        page.locator(".language select").select_option("es")
        page.wait_for_selector("html[lang=es] #compare-run-strategies")
        wait_for_comparison(page, 0)
        expect(page.locator("#compare-reference textarea")).to_have_value("hi there")
        expect(page.locator(".cp-rows tbody tr")).to_have_count(2)
        open_decode(page)


def open_decode(page: Page) -> None:
    page.locator("#tabs [role=tab][data-tab-id=decode]").first.click()
    expect(source(page)).to_have_value("hola")
    expect(page.locator("#strategy input:checked")).to_have_value("greedy")
    expect(page.locator("#trace .tv-hypothesis")).to_have_count(1)
    expect_address(page, tab="decode", text="hola", strategy="greedy")


@pytest.mark.full
def test_a_late_answer_does_not_undo_going_back(page: Page, app_url: str) -> None:
    visit(page, f"{app_url}?text=hola")
    choose_checkpoint(page, REVERSE)
    expect_address(page, checkpoint=REVERSE)
    go_back(page)
    expect(source(page)).to_have_value("hola")
    pending: list[Route] = []

    def hold(route: Route) -> None:
        data = (route.request.post_data_json or {}).get("data") or []
        # Two names, text, maximum length, two lists of words, then a number in place of the controls.
        is_choice = data[:1] == [REVERSE] and len(data) > 7 and not any(data[7:])
        pending.append(route) if is_choice else route.continue_()

    page.route("**/run/predict*", hold)
    go_back(page, forward=True)
    expect(page.locator("#checkpoint-name .chip-value")).to_contain_text(REVERSE)
    while not pending:
        page.wait_for_timeout(50)
    go_back(page)
    expect(source(page)).to_have_value("hola")
    count = results(page)
    with page.expect_response(lambda answer: answer.request == pending[0].request) as answered:
        pending[0].continue_()
    answered.value.finished()
    decode(page, "hola amigo")  # the next answer is this one
    assert results(page) == count + 1
    assert parameters(page.url)["checkpoint"] == "spa-eng-gru"


@pytest.mark.full
def test_a_link_hides_its_parts_and_other_tabs_keep_their_address(page: Page, app_url: str) -> None:
    address = f"{app_url}?text=hola&beam_size=99&hide=header,tree"  # a beam that nobody may ask for
    visit(page, address)
    expect(page.locator(".link-notice")).to_be_visible()
    tab = page.get_by_role("tab", name="Compare")
    tab.click()
    expect_address(page, tab="compare", text="hola", hide="header,tree")
    page.get_by_role("tab", name="Decode", exact=True).click()
    assert page.url == address
    decode(page, "buenos días")
    expect_address(page, text="buenos días", beam_size="", hide="header,tree")
    tab.click()
    expect_address(page, tab="compare", text="buenos días", hide="header,tree")
    go_back(page)
    expect_address(page, text="hola")
    expect(page.locator("#tabs [role=tab][data-tab-id=decode]")).to_have_attribute("aria-selected", "true")
    assert page.url == address


@pytest.mark.full
def test_the_page_around_a_space_receives_the_address(
    open_window: Callable[..., Page], app_url: str, expected_errors: list[str]
) -> None:
    page = open_window(permissions=("local-network-access",))
    # A page of another site; Gradio complains that such a frame may keep nothing.
    expected_errors += ["request to another host: https://huggingface.co", "localStorage"]
    answer = {"content_type": "text/html", "body": HUB_PAGE.format(url=app_url)}
    page.route(f"{HUB}**", lambda route: route.fulfill(**answer))
    page.goto(HUB)
    frame = page.frame_locator("iframe")
    expect(frame.locator(VIEW)).to_have_attribute("data-ready", "1")
    assert page.url == HUB
    frame.locator("#source textarea").fill("hola")
    frame.locator("#source textarea").press("Enter")
    expect_address(page, tab="decode", text="hola")
    frame.locator("#trace .tv-following").click()
    expect_address(page, text="hola", step="2")
