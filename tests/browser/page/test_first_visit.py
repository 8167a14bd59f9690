"""The first visit: three sentences over the picture while the step moves by itself, once and never again."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import serious_violations
from tests.browser.decode_page import SPANISH, source, visit
from tests.browser.link_page import VIEW

BOX = ".fv-box"
LINKS = re.compile(r'<link rel="(?:modulepreload|preload)[^>]*>')
NAMED = re.compile(r'<link rel="(?:modulepreload|preload)[^>]* href="([^"]+)"')
ENTRY = re.compile(r'<script type="module" crossorigin src="([^"]+)"')
FETCHED = "addresses => addresses.every(address => performance.getEntriesByName(address).length)"
PARTS = re.compile(r"/assets/[^/]+\.(?:js|css)$|/views\.js$")
# Every step that the view is at, so that none is missed.
STEPS = """view => {
  window.steps = [];
  const note = () => window.steps.push(Number(view.dataset.step));
  new MutationObserver(note).observe(view, { attributeFilter: ["data-step"] });
}"""


def test_who_comes_first_is_told_what_they_see(open_window: Callable[..., Page], app_url: str) -> None:
    page = open_window(introduced=False)
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, app_url)
    box, view = page.locator(BOX), page.locator(VIEW)
    expect(box.locator("li").first).to_be_visible()
    view.evaluate(STEPS)
    last = page.locator("#trace .tv-out").count() - 1
    page.wait_for_function("last => window.steps.includes(last) && window.steps.at(-1) === 0", arg=last)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert box.evaluate("box => box.getBoundingClientRect().bottom <= innerHeight")  # all of it can be read
    assert serious_violations(page) == []
    assert page.url == app_url  # nobody has asked for anything
    # A click ends it, and is not lost though it was made through the box.
    expect(box).to_be_visible()
    next_token = page.locator("#trace .tv-bars button.tv-next").nth(1)
    next_token.click()
    expect(box).to_have_count(0)
    expect(view).not_to_have_attribute("data-node", "0")

    page.reload()
    expect(view).to_have_attribute("data-ready", "1")
    page.get_by_role("button", name="Glossary").click()
    expect(box).to_have_count(0)
    page.emulate_media(reduced_motion="reduce")
    page.get_by_role("button", name="What you see on the Decode tab").press("Enter")
    expect(box).to_contain_text("The step is yours to move")
    source(page).press_sequentially("x")  # a key ends it too, and is typed
    expect(box).to_have_count(0)
    expect(source(page)).to_have_value("¿Dónde está la biblioteca?x")


def test_a_page_names_what_gradio_asks_for_and_nothing_else(page: Page, app_url: str) -> None:
    """A file that is not named comes late; one that nobody needs is fetched in vain."""
    html = page.request.get(app_url).text()
    named = {urljoin(app_url, address) for address in NAMED.findall(html)}
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url))
    page.route(app_url, lambda route: route.fulfill(body=LINKS.sub("", html), content_type="text/html"))
    visit(page, app_url)
    page.wait_for_function(FETCHED, arg=list(named))
    entry = urljoin(app_url, ENTRY.findall(html)[0])
    parts = {address for address in asked if PARTS.search(address)}
    assert entry in parts
    assert parts - {entry} == named


@pytest.mark.full
def test_who_came_by_a_link_is_not_interrupted(open_window: Callable[..., Page], app_url: str) -> None:
    page = open_window(introduced=False)
    for link in (f"?checkpoint={SPANISH}&text=hola", "?hide=tree"):
        visit(page, f"{app_url}{link}")
        expect(page.locator(BOX)).to_have_count(0)
    assert page.evaluate("localStorage.getItem('unrolled-introduced')") is None
