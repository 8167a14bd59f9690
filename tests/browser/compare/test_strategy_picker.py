"""The list of strategies, alone on a page, with a server that answers the latest question first."""

from __future__ import annotations

from playwright.sync_api import Route, expect

from demo.widgets.strategy_picker.component import StrategyPicker
from tests.browser.bare_page import BarePage


def add(bare: BarePage, strategy: str, **fields: str) -> None:
    form = bare.page.locator(".sp-form")
    form.locator(".sp-strategy").select_option(strategy)
    for name, value in fields.items():
        form.locator(f"[name={name}]").fill(value)
    form.get_by_role("button", name="Add").click()


def test_variants_stand_in_the_order_of_their_clicks(bare: BarePage) -> None:
    bare.open(StrategyPicker())
    page = bare.page
    questions: list[Route] = []
    page.route("**/describe", lambda route: questions.append(route))
    page.locator(".sp-own summary").click()
    add(bare, "diverse", num_groups="3")  # refused: three groups do not divide four beams
    add(bare, "diverse", num_groups="4")
    add(bare, "exhaustive")
    added = page.locator(".sp-option:has(.sp-drop) .sp-name")
    while added.count() < 2:
        if questions:
            latest = questions.pop()
            latest.fulfill(response=latest.fetch())
        page.wait_for_timeout(50)
    expect(added).to_have_text(["Diverse beam 4/4", "Exhaustive search"])
    expect(page.locator(".sp-problem")).to_be_empty()
