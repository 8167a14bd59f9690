"""The first visit: three sentences above the panes while the step moves by itself, once and never again."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import serious_violations
from tests.browser.decode_page import SPANISH, open_tab, source, visit
from tests.browser.link_page import VIEW
from tests.fakes.exported_page import exported_page
from tests.fakes.traces import library_trace

BAND = ".fv-band"
LINKS = re.compile(r'<link rel="(?:modulepreload|preload)[^>]*>')
NAMED = re.compile(r'<link rel="(?:modulepreload|preload)[^>]* href="([^"]+)"')
ENTRY = re.compile(r'<script type="module" crossorigin src="([^"]+)"')
FETCHED = "addresses => addresses.every(address => performance.getEntriesByName(address).length)"
PARTS = re.compile(r"/assets/[^/]+\.(?:js|css)$|/views\.js$")
# Records every step of the view, so that none is missed.
STEPS = """view => {
  window.steps = [];
  const note = () => window.steps.push(Number(view.dataset.step));
  new MutationObserver(note).observe(view, { attributeFilter: ["data-step"] });
}"""


# Whether the band lies over anything that it explains.
COVERS = """band => {
  const [at, apart] = [band.getBoundingClientRect(), (one, other) => one.bottom <= other.top + 0.5];
  const parts = [...document.querySelectorAll("#trace :is(.tv-band, .tv-line, .tv-pane)")];
  const boxes = parts.filter((part) => part.checkVisibility()).map((part) => part.getBoundingClientRect());
  return !boxes.length || boxes.some((box) => !apart(box, at) && !apart(at, box));
}"""


@pytest.mark.parametrize("width", [390, 1440])
def test_the_introduction_covers_no_control(
    open_window: Callable[..., Page], app_url: str, width: int
) -> None:
    page = open_window(introduced=False)
    page.set_viewport_size({"width": width, "height": 900})
    visit(page, app_url)
    band = page.locator(BAND)
    expect(band).to_be_visible()
    assert not band.evaluate(COVERS)


def test_the_arrow_keys_step_from_the_first_moment(app_page: Page) -> None:
    view = app_page.locator(VIEW)
    assert app_page.evaluate("document.activeElement === document.body")
    app_page.keyboard.press("ArrowRight")
    expect(view).to_have_attribute("data-step", "1")
    app_page.locator("#run").focus()  # a button leaves these keys alone
    app_page.keyboard.press("ArrowRight")
    expect(view).to_have_attribute("data-step", "2")
    app_page.keyboard.press("ArrowLeft")
    expect(view).to_have_attribute("data-step", "1")
    for busy in ("#source textarea", "#tabs > .tab-wrapper [role=tab][aria-selected=true]"):
        app_page.locator(busy).first.focus()
        app_page.keyboard.press("ArrowRight")
        app_page.keyboard.press("ArrowLeft")
        app_page.keyboard.press("ArrowLeft")
    open_tab(app_page, "why")
    app_page.locator("#trace [role=tab][data-tab=why]").press("ArrowLeft")
    expect(app_page.locator("#trace [role=tab][data-tab=attention]")).to_be_focused()
    expect(view).to_have_attribute("data-step", "1")


def test_the_arrow_keys_step_in_an_exported_page(
    page: Page, tmp_path: Path, expected_errors: list[str]
) -> None:
    expected_errors.append("request to another host: file:")  # the page itself
    path = tmp_path / "page.html"
    path.write_text(exported_page(library_trace()), encoding="utf-8")
    page.goto(path.as_uri())
    view = page.locator(".trace-view")
    expect(view).to_have_attribute("data-step", "0")
    page.keyboard.press("ArrowRight")
    expect(view).to_have_attribute("data-step", "1")


def test_a_first_visitor_is_introduced_to_the_page(open_window: Callable[..., Page], app_url: str) -> None:
    page = open_window(introduced=False)
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, app_url)
    box, view = page.locator(BAND), page.locator(VIEW)
    expect(box.locator("li").first).to_be_visible()
    view.evaluate(STEPS)
    last = page.locator("#trace .tv-out").count() - 1
    page.wait_for_function("last => window.steps.includes(last) && window.steps.at(-1) === 0", arg=last)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert box.evaluate("box => box.getBoundingClientRect().bottom <= innerHeight")  # all of it can be read
    assert serious_violations(page) == []
    assert page.url == app_url  # nobody has asked for anything
    # A click ends it, and is not lost.
    expect(box).to_be_visible()
    node = view.get_attribute("data-node")
    assert node
    next_token = page.locator("#trace .tv-bars button.tv-next:not([aria-disabled=true])").first
    next_token.click()
    expect(box).to_have_count(0)
    expect(view).not_to_have_attribute("data-node", node)

    page.reload()
    expect(view).to_have_attribute("data-ready", "1")
    page.get_by_role("button", name="Glossary").click()
    expect(box).to_have_count(0)
    page.emulate_media(reduced_motion="reduce")
    page.get_by_role("button", name="What you see on the Decode tab").press("Enter")
    expect(box).to_be_visible()
    source(page).press_sequentially("x")  # a key ends it too, and is typed
    expect(box).to_have_count(0)
    expect(source(page)).to_have_value("Ganó el premio.x")


def test_the_page_preloads_exactly_the_files_that_gradio_requests(page: Page, app_url: str) -> None:
    """A file without a preload link arrives late; an unneeded one is fetched in vain."""
    html = page.request.get(app_url).text()
    named = {urljoin(app_url, address) for address in NAMED.findall(html)}
    requested: set[str] = set()
    page.on("request", lambda request: requested.add(request.url))
    page.route(app_url, lambda route: route.fulfill(body=LINKS.sub("", html), content_type="text/html"))
    visit(page, app_url)
    page.wait_for_function(FETCHED, arg=list(named))
    entry = urljoin(app_url, ENTRY.findall(html)[0])
    parts = {address for address in requested if PARTS.search(address)}
    assert entry in parts
    assert parts - {entry} == named


@pytest.mark.full
def test_a_visitor_with_a_link_is_not_interrupted(open_window: Callable[..., Page], app_url: str) -> None:
    page = open_window(introduced=False)
    for link in (f"?checkpoint={SPANISH}&text=hola", "?hide=tree"):
        visit(page, f"{app_url}{link}")
        expect(page.locator(BAND)).to_have_count(0)
    assert page.evaluate("localStorage.getItem('unrolled-introduced')") is None
