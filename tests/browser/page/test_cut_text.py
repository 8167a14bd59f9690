"""Every tab in every language on every usual screen: no text is cut."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from demo.work.operator.settings import TABS
from tests.browser.cut_text import cut_texts, half_rows
from tests.browser.decode_page import open_tab, visit
from tests.browser.windows import VIEWPORT
from tests.grids import full_only, release_only

WIDTHS = (1440, 1280, 1000, 768, 390)
LONGEST, OTHERS = ("es-MX",), ("en-GB", "zh-TW")  # Spanish words and sentences are longer than the others
CARDS = ("hypotheses", "candidates", "mass", "why")
# An element that a tab has once it is ready.
READY = {"compare": ".compare:not([data-ready='0'])", "checkpoints": "#gallery [data-state=shown]"}
# Ways to cut a text.
CUTTING = {
    "hidden": "overflow: hidden; width: 40px; white-space: nowrap",
    "sideways": "overflow: auto; width: 40px; white-space: nowrap",
    "low": "overflow: hidden; height: 6px",
}


def settled(page: Page, find: Callable[[Page], list[str]]) -> list[str]:
    """The first empty result of `find`, or the last one: results may still arrive on a busy machine."""
    for _ in range(600):
        if not find(page):
            return []
        page.wait_for_timeout(50)
    return find(page)


@pytest.mark.parametrize("locale", [*full_only(LONGEST), *release_only(OTHERS)])
def test_no_text_is_cut(
    open_window: Callable[..., Page], app_url: str, locale: str, subtests: pytest.Subtests
) -> None:
    page = open_window(locale=locale)
    visit(page, app_url)
    for tab in TABS:
        page.locator(f"#tabs [role=tab][data-tab-id={tab}]:visible").first.click()
        page.wait_for_selector(READY.get(tab, "#tabs"))
        for width in WIDTHS:
            with subtests.test(tab=tab, width=width):
                page.set_viewport_size({"width": width, "height": 900})
                assert settled(page, cut_texts) == []
                assert settled(page, half_rows) == []
        page.set_viewport_size(VIEWPORT)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        visit(page, app_url)
        for card in CARDS:
            with subtests.test(card=card, width=width):
                open_tab(page, card)
                assert settled(page, cut_texts) == []


@pytest.mark.parametrize("way", CUTTING.values(), ids=CUTTING)
def test_the_check_finds_a_cut_text(page: Page, way: str) -> None:
    text = "A sentence of a few words."
    page.set_content(f"<p style='{way}'>{text}</p><p style='{way}' title='{text}'>{text}</p><p>{text}</p>")
    assert len(cut_texts(page)) == 1
