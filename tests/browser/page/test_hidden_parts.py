"""Links that hide parts of the page, and the form that makes them."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.accessibility import serious_violations
from tests.browser.compare_page import wait_for_comparison
from tests.browser.decode_page import (
    open_chip,
    visit,
)
from tests.browser.link_page import SAY_NO


def test_a_hidden_reference_is_not_compared(page: Page, app_url: str) -> None:
    page.goto(f"{app_url}?tab=compare&text=hola&reference=zzqx&strategies=greedy~beam&hide=reference,verdict")
    wait_for_comparison(page, 0)
    expect(page.locator(".cp-rows")).not_to_contain_text("zzqx")
    page.get_by_role("button", name="Show all").click()
    expect(page.locator(".cp-rows")).to_contain_text("zzqx")


def test_hidden_parts_cannot_be_reached_until_show_all(page: Page, app_url: str) -> None:
    hidden = (
        "tabs,source,strategy,settings,checkpoint,probabilities,tree,candidates,teach,downloads,edit,copy"
    )
    visit(page, f"{app_url}?text=hola&hide={hidden}")
    for _ in range(25):
        page.keyboard.press("Tab")
        gone = "#source-line, #strategy-card, #tabs > .tab-wrapper, .tv-tree-card"
        assert page.evaluate(f"document.activeElement.closest('{gone}') === null")
    chip = page.locator("#trace .tv-out").first
    assert "probability" not in str(chip.get_attribute("title"))
    expect(chip.locator("small").first).to_be_hidden()
    page.get_by_role("button", name="Show all").click()
    expect(chip.locator("small").first).to_be_visible()
    assert "probability" in str(chip.get_attribute("title"))
    expect(page.locator("#source-line")).to_be_visible()


def test_a_link_for_a_class_appears_with_its_parts(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.add_init_script(SAY_NO)
    visit(page, f"{app_url}?__theme=dark")
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
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert serious_violations(page) == []
    bar.locator(".sh-copy-class").click()
    expect(bar.locator(".sh-status")).to_contain_text("press Ctrl+C")
    expect(bar.locator(".sh-link")).to_be_focused()
    assert bar.locator(".sh-link").input_value().endswith("&hide=tabs,tree")
