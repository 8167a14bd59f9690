"""The Checkpoints tab for a visitor, and a gallery whose texts contain code."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from demo.checkpoints.gallery.component import CheckpointGallery, Gallery
from demo.page.interface import build_demo, launch_settings
from demo.work.context import AppContext
from models.registry.registry import QUALITY, Registry
from tests.browser.accessibility import serious_violations
from tests.browser.bare_page import BarePage
from tests.browser.conftest import ROOT, Serve
from tests.browser.decode_page import (
    REVERSE,
    SPANISH,
    decode,
    open_page_tab,
    results,
    title_of,
    visit,
    wait_for_result,
)
from tests.demo.checkpoints.test_checkpoints import CARD, EVIL
from tests.demo.widgets.figures.curves.test_quality_by_length import quality

GALLERY = "#gallery .gallery"


def open_tab(page: Page) -> None:
    open_page_tab(page, "checkpoints")
    expect(page.locator(f"{GALLERY}:not([data-ready='0'])")).to_be_visible()


def read_the_first_screen(page: Page, height: int, most: int, rows: int) -> None:
    """The first screen has at least `rows` checkpoints, and the page at most `most` pixels."""
    assert page.evaluate("document.documentElement.scrollHeight") <= most
    buttons = page.locator(f"{GALLERY} .cg-open")
    bottoms = buttons.evaluate_all("all => all.map((each) => each.getBoundingClientRect().bottom)")
    assert len([bottom for bottom in bottoms if bottom <= height]) >= rows
    qualities = page.locator(f"{GALLERY} .cg-item > :first-child")
    assert qualities.evaluate_all("all => all.every((each) => each.matches('.cg-quality'))")
    assert set(Registry(ROOT / "checkpoints").names()) == set(
        page.locator(f"{GALLERY} .cg-item").evaluate_all("items => items.map(item => item.dataset.name)")
    )


def filter_by_keyboard(page: Page) -> None:
    items = page.locator(f"{GALLERY} .cg-item:visible")
    everything = items.count()
    page.locator(f"{GALLERY} .cg-filter").focus()
    page.keyboard.type("KATAKANA names")
    expect(items).to_have_count(1)
    expect(page.locator(f"{GALLERY} .cg-chapter:visible")).to_have_count(1)
    expect(page.locator(f"{GALLERY} .cg-count")).to_have_text(f"1 of {everything} checkpoints")
    page.keyboard.press("Tab")
    page.keyboard.press("T")  # the first letter of a chapter title
    expect(page.locator(f"{GALLERY} .cg-count")).to_have_text(f"0 of {everything} checkpoints")
    page.locator(f"{GALLERY} .cg-filter").fill("")
    expect(page.locator(f"{GALLERY} .cg-chapter:visible")).to_have_count(1)
    page.locator(f"{GALLERY} .cg-chapter-choice").select_option("")
    expect(items).to_have_count(everything)
    expect(page.locator(f"{GALLERY} .cg-count")).to_be_empty()


def unfold_all(page: Page) -> None:
    page.locator(f"{GALLERY} .cg-more").first.click()
    assert serious_violations(page) == []
    folded = page.locator(
        f"{GALLERY} :is(.cg-more:not([aria-expanded='true']), details:not([open]) > summary)"
    )
    while folded.count():
        folded.first.click()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    item = page.locator(f'{GALLERY} [data-name="{REVERSE}"]')
    expect(item.locator(".cg-body")).to_contain_text("Known failures.")
    expect(item.locator(".cg-body table")).to_be_visible()
    link = item.get_by_role("link").first
    assert (link.get_attribute("rel"), link.get_attribute("target")) == ("noopener noreferrer", "_blank")


def open_in_decode(page: Page, name: str) -> None:
    before = results(page)
    page.get_by_role("button", name=f"Open {name} in Decode").click()
    expect(page.get_by_role("tab", name="Decode")).to_have_attribute("aria-selected", "true")
    wait_for_result(page, before)
    expect(page.locator("#checkpoint input")).to_have_value(title_of(name))


@pytest.mark.full
@pytest.mark.parametrize("screen", [("light", 1440, 900, 2500, 9), ("dark", 390, 844, 5000, 4)])
def test_a_checkpoint_is_found_described_and_opened(
    page: Page, app_url: str, screen: tuple[str, int, int, int, int], subtests: pytest.Subtests
) -> None:
    theme, width, height, most, rows = screen
    page.set_viewport_size({"width": width, "height": height})
    visit(page, f"{app_url}?__theme={theme}")
    expect(page.locator(".gallery")).not_to_be_visible()
    with subtests.test("every tab is in sight"):
        for tab in page.locator("#tabs > .tab-wrapper [role=tab]:visible").all():
            expect(tab).to_be_in_viewport(ratio=1)
    open_tab(page)
    with subtests.test("the first screen shows checkpoints, and the page is short"):
        read_the_first_screen(page, height, most, rows)
    with subtests.test("checkpoints are filtered by keyboard"):
        filter_by_keyboard(page)
    with subtests.test("unfolded cards fit the width"):
        unfold_all(page)
    with subtests.test("checkpoints open in Decode"):
        open_in_decode(page, REVERSE)
        assert "zyx" in decode(page, "xyz")[0]
        open_tab(page)
        open_in_decode(page, SPANISH)


def show(bare: BarePage, gallery: Gallery) -> Page:
    bare.open(CheckpointGallery(elem_id="gallery"))
    bare.show(gallery)
    expect(bare.page.locator(f"{GALLERY}:not([data-ready='0'])")).to_be_visible()
    return bare.page


@pytest.mark.full
def test_lines_are_drawn_with_their_legend_and_numbers_in_both_schemes(bare: BarePage) -> None:
    cards = {name: replace(CARD, name=name, chapter="attention") for name in ("gru", "lstm")}
    gallery = Gallery(cards, {"gru": quality("gru", 52, 50, 45), "lstm": quality("lstm", 50, 40, 20)})
    page = show(bare, gallery)
    expect(page.locator(".cg-chart .legendtext")).to_have_text(["gru", "lstm"])
    summary = page.locator(".cg-chart .tv-inspect-summary")
    expect(summary).to_contain_text("lstm falls furthest behind at 5–9 words")
    colours = "() => [...document.querySelectorAll('.cg-chart .js-line')].map((line) => line.style.stroke)"
    light = page.evaluate(colours)
    assert len(set(light)) >= 2
    page.evaluate("document.body.classList.add('dark')")
    page.wait_for_function(f"(before) => String(({colours})()) !== String(before)", arg=light)
    page.get_by_text("As a table, with").click()
    expect(page.get_by_role("cell", name="20.0 (18.0 to 22.0)")).to_be_visible()


def test_no_text_of_a_card_becomes_code(bare: BarePage) -> None:
    body = (
        f"{EVIL}\n\n[click](javascript:alert(1)) [file](../x) [ok](https://example.org/)\n\n"
        f"| {EVIL} |\n|---|\n| {EVIL} |\n\n- {EVIL}\n\n`{EVIL}` **{EVIL}**\n\n```\n{EVIL}\n```\n"
    )
    hostile = replace(CARD, name=EVIL, summary=EVIL, lesson=EVIL, architecture=EVIL, data=EVIL, body=body)
    hostile_quality = quality(EVIL, 50, 20, strategy=EVIL, source_language=EVIL)
    gallery = Gallery({EVIL: hostile, "other": EVIL}, {EVIL: hostile_quality})
    dialogs: list[str] = []
    bare.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page = show(bare, gallery)
    page.get_by_text("The whole card").click()
    expect(page.locator(".cg-body pre")).to_have_text(EVIL)
    expect(page.locator(".cg-summary")).to_have_text(EVIL)
    expect(page.get_by_role("button", name=f"Open {EVIL} in Decode")).to_be_visible()
    expect(page.locator('[data-name="other"]')).to_contain_text(EVIL)
    assert page.locator(".gallery img").count() == page.locator(".gallery script").count() == 0
    assert page.locator(".cg-body a").evaluate_all("links => links.map((link) => link.href)") == [
        "https://example.org/"
    ]
    assert dialogs == []


def test_the_markdown_of_a_card_keeps_its_meaning(bare: BarePage) -> None:
    body = (
        "See [Beam](https://example.org/wiki/Beam_(search)) (and [this](https://example.org/a)).\n\n"
        "| code | says |\n|---|---|\n| `a|b` | x \\| y |\n| ``c`|d`` | |\n\n"
        "- one\n  goes on\n  - inner *first*\n    1. deepest\n  - inner second\n- two\n"
    )
    page = show(bare, Gallery({"one": replace(CARD, body=body)}, {}))
    page.get_by_text("The whole card").click()
    assert page.locator(".cg-body a").evaluate_all("links => links.map((link) => link.href)") == [
        "https://example.org/wiki/Beam_(search)",
        "https://example.org/a",
    ]
    expect(page.locator(".cg-body p")).to_have_text("See Beam (and this).")
    expect(page.locator(".cg-body td")).to_have_text(["a|b", "x | y", "c`|d", ""])
    expect(page.locator(".cg-body td code")).to_have_text(["a|b", "c`|d"])
    expect(page.locator(".cg-body > ul > li")).to_have_count(2)
    expect(page.locator(".cg-body > ul > li > ul > li")).to_have_count(2)
    expect(page.locator(".cg-body > ul > li > ul > li > ol > li")).to_have_text("deepest")
    expect(page.locator(".cg-body > ul > li").last).to_have_text("two")


@pytest.mark.full
def test_a_damaged_checkpoint_or_measurement_does_not_affect_the_others(
    page: Page, serve: Serve, tmp_path: Path
) -> None:
    for name in (REVERSE, "broken"):
        shutil.copytree(ROOT / "checkpoints" / REVERSE, tmp_path / name)
    (tmp_path / "broken" / "README.md").write_text("nothing", encoding="utf-8")
    (tmp_path / REVERSE / QUALITY).write_text("{", encoding="utf-8")
    url = serve(build_demo(AppContext(Registry(tmp_path), "cpu")), **launch_settings(uploads=False))
    visit(page, url)
    open_tab(page)
    expect(page.locator('[data-name="broken"]')).to_contain_text("README.md has no usable metadata")
    expect(page.locator(".cg-problems")).to_contain_text("quality_by_length.json cannot be used")
    page.get_by_role("button", name=f"Open {REVERSE} in Decode").click()
    expect(page.locator("#trace .trace-view")).to_be_visible()
