"""Axe finds no violation in any state of the page: tabs, folds, lessons, views, dark, on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from demo.evaluate.parts import evaluation_parts
from demo.inspect import inspect_views
from demo.labs import labs
from demo.learn.lessons import lessons
from tests.browser.accessibility import violations
from tests.browser.decode_page import open_chip, open_more, open_rail, open_tab, wait_for_result

SIZES: dict[str, ViewportSize] = {
    "laptop": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
}
LONG = "text=No+s%C3%A9+si+ma%C3%B1ana+va+a+llover+en+la+ciudad+de+mi+hermana"
ANSWERED = "#trace .tv-open:not(.tv-asking) .tv-inspect-summary"


def inspected(page: Page) -> None:
    expect(page.locator(ANSWERED)).not_to_be_empty()


def _long_row(page: Page) -> None:
    open_rail(page)
    page.locator("#trace .tv-out").last.click()


STATES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "rail": (LONG, _long_row),
    "menu": ("", lambda page: open_more(page, "centre")),
    "share": ("", lambda page: open_chip(page, "share")),
    "examples": ("", lambda page: open_chip(page, "examples")),
    "ranking": ("", lambda page: open_tab(page, "hypotheses")),
    "lesson": ("lesson=tour", lambda page: wait_for_result(page, 0)),
    "inspect": ("checkpoint=reverse-gru&inspect=heads", inspected),
    "elsewhere": ("checkpoint=spa-eng-transformer&inspect=units", inspected),
}
# Every tab, view, part, lab and lesson, by the query of its address, and the element that it waits for.
_VIEW = "#trace .trace-view:not([data-ready='0'])"
_LAB, _PART = ".labs:not([data-ready='0'])", ".evaluation[data-stage=done]:not([data-ready='0'])"
_DOCK = "aside.lesson:not([hidden]) .ls-text:not(:empty)"
ADDRESSES: dict[str, str] = {
    "open=why": _VIEW,
    "strategy=sampling": _VIEW,
    **{f"checkpoint=spa-eng-transformer&inspect={view.name}": ANSWERED for view in inspect_views()},
    "tab=compare": "#comparison .compare:not([data-ready='0'])",
    "tab=compare&text=hola&opened=2": "#compare-trace .trace-view:not([data-ready='0'])",
    **{f"tab=evaluate&part={part.name}": _PART for part in evaluation_parts()},
    "tab=checkpoints": "#gallery [data-state=shown]",
    "tab=training": "#train-begin",
    "tab=learn": ".co-lesson",
    **{f"tab=learn&lab={lab.name}": _LAB for lab in labs()},
    **{f"lesson={lesson.id}&step=2": _DOCK for lesson in lessons()},
}


@pytest.mark.release
@pytest.mark.timeout(3600)
def test_axe_finds_nothing_at_any_address(page: Page, app_url: str, subtests: pytest.Subtests) -> None:
    for query, there in ADDRESSES.items():
        page.goto(f"{app_url}?{query}")
        page.locator(there).first.wait_for()
        for size in SIZES.values():
            page.set_viewport_size(size)
            for scheme in ("light", "dark"):
                with subtests.test(query, width=size["width"], scheme=scheme):
                    page.evaluate(
                        "scheme => document.body.classList.toggle('dark', scheme === 'dark')", scheme
                    )
                    expect(page.locator(".tv-asking")).to_have_count(0)  # pale until the answer comes
                    assert violations(page, "body") == []


@pytest.mark.full
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing(
    page: Page, app_url: str, subtests: pytest.Subtests, state: str, size: str
) -> None:
    query, open_it = STATES[state]
    page.set_viewport_size(SIZES[size])
    page.goto(f"{app_url}?{query}")
    wait_for_result(page, 0)
    open_it(page)
    for scheme in ("light", "dark"):
        with subtests.test(scheme):
            page.evaluate("scheme => document.body.classList.toggle('dark', scheme === 'dark')", scheme)
            assert violations(page, "body") == []
