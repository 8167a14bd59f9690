"""The first visit: three sentences above the panes while the step moves by itself, once and never again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, ViewportSize, expect

from demo.widgets.view.modules import modules_address
from tests.browser.accessibility import serious_violations
from tests.browser.decode_page import EXAMPLE, SPANISH, decode, source, visit
from tests.browser.link_page import VIEW
from tests.browser.windows import VIEWPORT

BAND = ".fv-band"
PHONE: ViewportSize = {"width": 390, "height": 844}
# A browser whose reader forbids that a page stores anything.
NOTHING_STORED = """for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, {
    configurable: true,
    get() { throw new DOMException("denied", "SecurityError"); },
  });"""
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


def test_a_first_visitor_is_introduced_to_the_page(
    open_window: Callable[..., Page], app_url: str, subtests: pytest.Subtests
) -> None:
    page = open_window(introduced=False)
    page.set_viewport_size(PHONE)
    visit(page, app_url)
    band, view = page.locator(BAND), page.locator(VIEW)
    with subtests.test("a band covers nothing that it explains, while the step moves once"):
        expect(band.locator("li").first).to_be_visible()
        view.evaluate(STEPS)
        for size in (VIEWPORT, PHONE):
            page.set_viewport_size(size)
            assert not band.evaluate(COVERS)
        last = page.locator("#trace .tv-out").count() - 1
        page.wait_for_function("last => window.steps.includes(last) && window.steps.at(-1) === 0", arg=last)
    with subtests.test("all of it can be read on a phone"):
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
        assert band.evaluate("band => band.getBoundingClientRect().bottom <= innerHeight")
        assert serious_violations(page) == []
        assert page.url == app_url  # nobody has asked for anything
    with subtests.test("a click ends it, and is not lost"):
        expect(band).to_be_visible()
        node = view.get_attribute("data-node")
        assert node
        page.locator("#trace .tv-bars button.tv-next:not([aria-disabled=true])").first.click()
        expect(band).to_have_count(0)
        expect(view).not_to_have_attribute("data-node", node)
    with subtests.test("it does not come again, but the help shows it"):
        page.reload()
        expect(view).to_have_attribute("data-ready", "1")
        page.locator(".page-header > .tools-open").click()
        page.get_by_role("button", name="Glossary").click()
        expect(band).to_have_count(0)
        page.emulate_media(reduced_motion="reduce")
        page.get_by_role("button", name="What you see on the Decode tab").press("Enter")
        expect(band).to_be_visible()
    with subtests.test("a key ends it too, and is typed"):
        source(page).press_sequentially("x")
        expect(band).to_have_count(0)
        expect(source(page)).to_have_value(f"{EXAMPLE}x")


def test_a_press_on_decode_before_the_scripts_have_come_is_not_lost(page: Page, app_url: str) -> None:
    requests: list[Route] = []
    page.route(f"**/{modules_address().rpartition('/')[2]}*", lambda route: requests.append(route))
    page.goto(app_url)
    page.locator("#run").click()
    expect(page.locator(VIEW)).to_have_attribute("data-ready", "0")
    requests[0].continue_()
    page.wait_for_url("**text=**")  # of the decoding


@pytest.mark.full
def test_a_browser_that_stores_nothing_shows_the_page(open_window: Callable[..., Page], app_url: str) -> None:
    page = open_window(introduced=False)
    page.add_init_script(NOTHING_STORED)
    visit(page, app_url)
    expect(page.locator(BAND)).to_be_visible()
    decode(page, "hola")
    page.locator(".language select").select_option("es")
    page.wait_for_selector("html[lang=es] #run")
    expect(page.locator(VIEW)).to_have_attribute("data-ready", "1")
    expect(source(page)).to_have_value("hola")


@pytest.mark.full
def test_a_visitor_with_a_link_is_not_interrupted(open_window: Callable[..., Page], app_url: str) -> None:
    page = open_window(introduced=False)
    for link in (f"?checkpoint={SPANISH}&text=hola", "?hide=tree"):
        visit(page, f"{app_url}{link}")
        expect(page.locator(BAND)).to_have_count(0)
    assert page.evaluate("localStorage.getItem('unrolled-introduced')") is None
