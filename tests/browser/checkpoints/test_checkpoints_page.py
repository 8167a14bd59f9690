"""The Checkpoints tab for a visitor, and a gallery whose texts contain code."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import gradio as gr
import pytest
from playwright.sync_api import Page, expect

from demo.interface import build_demo, launch_settings
from demo.service.context import AppContext
from demo.views.checkpoints.gallery.component import CheckpointGallery
from demo.views.checkpoints.gallery.payload import Gallery
from models.registry.registry import QUALITY, Registry
from tests.browser.accessibility import serious_violations
from tests.browser.conftest import ROOT, Serve
from tests.browser.decode_page import REVERSE, SPANISH, decode, results, visit, wait_for_result
from tests.demo.figures.curves.test_quality_by_length import quality
from tests.demo.tabs.test_checkpoints import CARD, EVIL
from tests.grids import full_only

GALLERY = "#gallery .gallery"


def open_tab(page: Page) -> None:
    page.get_by_role("tab", name="Checkpoints").click()
    expect(page.locator(f"{GALLERY}:not([data-ready='0'])")).to_be_visible()


@pytest.mark.full
def test_a_checkpoint_is_found_described_and_opened(app_page: Page) -> None:
    expect(app_page.locator(".gallery")).not_to_be_visible()
    open_tab(app_page)
    assert set(Registry(ROOT / "checkpoints").names()) == set(
        app_page.locator(f"{GALLERY} .cg-item").evaluate_all("items => items.map(item => item.dataset.name)")
    )
    item = app_page.locator(f'{GALLERY} [data-name="{REVERSE}"]')
    item.get_by_text("The whole card").click()
    expect(item.locator(".cg-body")).to_contain_text("Known failures.")
    expect(item.locator(".cg-body table")).to_be_visible()
    link = item.get_by_role("link").first
    assert (link.get_attribute("rel"), link.get_attribute("target")) == ("noopener noreferrer", "_blank")

    before = results(app_page)
    item.get_by_role("button", name=f"Open {REVERSE} in Decode").click()
    expect(app_page.get_by_role("tab", name="Decode")).to_have_attribute("aria-selected", "true")
    wait_for_result(app_page, before)
    expect(app_page.locator("#checkpoint input")).to_have_value(REVERSE)
    assert "zyx" in decode(app_page, "xyz")[0]

    open_tab(app_page)
    before = results(app_page)
    app_page.get_by_role("button", name=f"Open {SPANISH} in Decode").click()
    wait_for_result(app_page, before)
    expect(app_page.locator("#checkpoint input")).to_have_value(SPANISH)


@pytest.mark.full
@pytest.mark.parametrize("theme", ["light", *full_only(["dark"])])
def test_a_phone_shows_every_tab_and_the_whole_width(page: Page, app_url: str, theme: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, f"{app_url}?__theme={theme}")
    for tab in page.locator("#tabs > .tab-wrapper [role=tab]").all():
        expect(tab).to_be_in_viewport(ratio=1)
    open_tab(page)
    for folded in page.locator(f"{GALLERY} :is(summary, .cg-more)").all():
        folded.click()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.full
@pytest.mark.parametrize("size", [(1440, 900, 2500, 9), *full_only([((390, 844, 5000, 4),)])])
def test_the_first_screen_shows_checkpoints_and_the_page_is_short(
    page: Page, app_url: str, size: tuple[int, int, int, int]
) -> None:
    width, height, most, rows = size
    page.set_viewport_size({"width": width, "height": height})
    visit(page, app_url)
    open_tab(page)
    assert page.evaluate("document.documentElement.scrollHeight") <= most
    buttons = page.locator(f"{GALLERY} .cg-open")
    bottoms = buttons.evaluate_all("all => all.map((each) => each.getBoundingClientRect().bottom)")
    assert len([bottom for bottom in bottoms if bottom <= height]) >= rows
    qualities = page.locator(f"{GALLERY} .cg-item > :first-child")
    assert qualities.evaluate_all("all => all.every((each) => each.matches('.cg-quality'))")
    _filter_by_keyboard(page)
    page.locator(f"{GALLERY} .cg-more").first.click()
    assert serious_violations(page) == []


def _filter_by_keyboard(page: Page) -> None:
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


@pytest.mark.full
def test_lines_are_drawn_with_their_legend_and_numbers_in_both_schemes(page: Page, serve: Serve) -> None:
    cards = {name: replace(CARD, name=name, chapter="attention") for name in ("gru", "lstm")}
    gallery = Gallery(cards, {"gru": quality("gru", 52, 50, 45), "lstm": quality("lstm", 50, 40, 20)})
    _show(page, serve, gallery)
    expect(page.locator(".cg-legend li")).to_have_text(["gru", "lstm"])
    expect(page.locator("figcaption")).to_contain_text("lstm falls furthest behind at 5–9 words")
    colours = "() => [...document.querySelectorAll('.cg-plot .js-line')].map((line) => line.style.stroke)"
    light = page.evaluate(colours)
    assert len(set(light)) >= 2
    page.evaluate("document.body.classList.add('dark')")
    page.wait_for_function(f"(before) => String(({colours})()) !== String(before)", arg=light)
    page.get_by_text("As a table").click()
    expect(page.get_by_role("cell", name="20.0 (18.0 to 22.0)")).to_be_visible()


def test_no_text_of_a_card_becomes_code(page: Page, serve: Serve) -> None:
    body = (
        f"{EVIL}\n\n[click](javascript:alert(1)) [file](../x) [ok](https://example.org/)\n\n"
        f"| {EVIL} |\n|---|\n| {EVIL} |\n\n- {EVIL}\n\n`{EVIL}` **{EVIL}**\n\n```\n{EVIL}\n```\n"
    )
    hostile = replace(CARD, name=EVIL, summary=EVIL, lesson=EVIL, architecture=EVIL, data=EVIL, body=body)
    hostile_quality = quality(EVIL, 50, 20, strategy=EVIL, source_language=EVIL)
    gallery = Gallery({EVIL: hostile, "other": EVIL}, {EVIL: hostile_quality})
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    _show(page, serve, gallery)
    page.get_by_text("The whole card").click()
    expect(page.locator(".cg-body pre")).to_have_text(EVIL)
    expect(page.locator(".cg-summary")).to_have_text(EVIL)
    assert page.locator(".gallery img").count() == page.locator(".gallery script").count() == 0
    assert page.locator(".cg-body a").evaluate_all("links => links.map((link) => link.href)") == [
        "https://example.org/"
    ]
    assert dialogs == []


def test_the_markdown_of_a_card_keeps_its_meaning(page: Page, serve: Serve) -> None:
    body = (
        "See [Beam](https://example.org/wiki/Beam_(search)) (and [this](https://example.org/a)).\n\n"
        "| code | says |\n|---|---|\n| `a|b` | x \\| y |\n| ``c`|d`` | |\n\n"
        "- one\n  goes on\n  - inner *first*\n    1. deepest\n  - inner second\n- two\n"
    )
    _show(page, serve, Gallery({"one": replace(CARD, body=body)}, {}))
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
    expect(page.get_by_role("button", name=f"Open {REVERSE} in Decode")).to_be_visible()


def _show(page: Page, serve: Serve, gallery: Gallery) -> None:
    with gr.Blocks() as blocks:
        view = CheckpointGallery(elem_id="gallery")
        blocks.load(lambda: gallery, None, view)
    page.goto(serve(blocks))
    expect(page.locator(f"{GALLERY}:not([data-ready='0'])")).to_be_visible()
