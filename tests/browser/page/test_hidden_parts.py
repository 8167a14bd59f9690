"""Links that hide parts of the page, and the form that makes them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import serious_violations, violations
from tests.browser.decode_page import open_chip, open_more, source, visit
from tests.browser.link_page import INSECURE, REFUSE_TO_COPY
from tests.browser.page.test_axe_states import SIZES, inspected

HIDDEN = "tabs,source,strategy,settings,checkpoint,probabilities,tree,candidates,teach,downloads,edit,copy"


def test_hidden_parts_cannot_be_reached_until_show_all(
    page: Page, app_url: str, subtests: pytest.Subtests
) -> None:
    visit(page, f"{app_url}?checkpoint=reverse-gru&text=hola&inspect=heads&hide={HIDDEN}")
    chip = page.locator("#trace .tv-out").first
    with subtests.test("the Tab key leads past hidden parts"):
        for _ in range(25):
            page.keyboard.press("Tab")
            gone = "#source-line, #strategy-card, #tabs > .tab-wrapper, .tv-tree-card"
            assert page.evaluate(f"document.activeElement.closest('{gone}') === null")
    with subtests.test("a hidden probability is in no hint"):
        assert "probability" not in str(chip.get_attribute("title"))
        expect(chip.locator("small").first).to_be_hidden()
    page.get_by_role("button", name="Show all").click()
    with subtests.test("all parts appear"):
        expect(chip.locator("small").first).to_be_visible()
        assert "probability" in str(chip.get_attribute("title"))
        expect(page.locator("#source-line")).to_be_visible()
    with subtests.test("the whole page with a view of Inspect breaks no rule of accessibility"):
        inspected(page)
        assert violations(page, "body") == []


def test_a_teacher_copies_a_link_on_a_phone_without_https(
    page: Page, app_url: str, subtests: pytest.Subtests
) -> None:
    page.set_viewport_size(SIZES["phone"])
    page.add_init_script(INSECURE)
    visit(page, f"{app_url}?__theme=dark&text=hola")
    with subtests.test("a menu on a dark phone breaks no rule of accessibility"):
        open_more(page, "centre")
        assert violations(page, "body") == []
        page.keyboard.press("Escape")
    with subtests.test("a link is copied"):
        open_chip(page, "share")
        page.locator("#share-decode .sh-copy").click()
        expect(page.locator("#share-decode .sh-status")).to_contain_text("Link copied")
        expect(page.locator("#share-decode .sh-copy")).to_be_focused()
        source(page).fill("")
        source(page).press("Control+v")
        assert "&text=hola&" in source(page).input_value()
    with subtests.test("a link for a class appears with its parts"):
        choose_parts(page)
        assert page.evaluate("document.documentElement.scrollWidth") == SIZES["phone"]["width"]
        assert serious_violations(page) == []
    with subtests.test("a browser that refuses to copy leaves the link selected"):
        page.evaluate(REFUSE_TO_COPY)
        page.locator("#share-decode .sh-copy-class").click()
        expect(page.locator("#share-decode .sh-status")).to_contain_text("press Ctrl+C")
        expect(page.locator("#share-decode .sh-link")).to_be_focused()
        assert page.locator("#share-decode .sh-link").input_value().endswith("&hide=tabs,tree")


def choose_parts(page: Page) -> None:
    open_chip(page, "share")
    bar = page.locator("#share-decode")
    bar.locator(".sh-class > summary").click()
    bar.get_by_label("only the attention").check()
    expect(bar.locator(".sh-copy-class")).to_be_in_viewport()
    expect(bar.locator(".sh-qr")).to_be_visible()
    bar.get_by_label("everything", exact=True).check()
    expect(bar.locator(".sh-preview")).not_to_have_value(re.compile("hide="))
    bar.locator(".sh-choice > summary").click()
    bar.get_by_label("the search tree", exact=True).check()
    bar.get_by_label("the other tabs").check()
    expect(bar.locator(".sh-preview")).to_have_value(re.compile(r"&hide=tabs,tree$"))
    expect(bar.locator(".sh-presets :checked")).to_have_count(0)
