"""Journeys with a checkpoint that reads pictures: drawing, uploading, attention, what-if, comparing."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from demo.widgets.strategy_picker.component import presets
from demo.work.context import AppContext
from models.corpus.generated.shapes import LARGE, PICTURE_SIZE, Scene, Shape, render
from models.registry.registry import Registry
from models.tokenization.pictures import PICTURE_PREFIX, read_picture
from tests.browser.bare_page import BarePage
from tests.browser.compare_page import choose_mode, compare, wait_for_comparison
from tests.browser.conftest import serving
from tests.browser.decode_page import (
    canvas,
    choose_checkpoint,
    open_chip,
    open_more,
    results,
    source,
    stamp,
    visit,
    wait_for_result,
)
from tests.browser.trace_page import open_trace
from tests.demo.conftest import TEXTS, WORDS, make_checkpoint
from tests.fakes.pictures import SCENE, make_captioner, picture, picture_trace

CAPTIONER = "captioner"
# All that a page says to the eye and to a screen reader.
PRINTED = """() => document.body.innerText +
  [...document.querySelectorAll("[title], [aria-label]")].map((node) => node.title + node.ariaLabel)"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint that reads texts and one that reads pictures."""
    root = tmp_path_factory.mktemp("checkpoints")
    make_checkpoint(root, WORDS, "word")
    make_captioner(root, CAPTIONER)
    return root


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with serving(AppContext(Registry(folder), "cpu")) as url:
        yield url


@pytest.fixture
def app_page(page: Page, url: str) -> Page:
    """The page at a first visit, whose first checkpoint by name reads pictures."""
    visit(page, url)
    expect(page.locator("#picture .pi")).to_have_attribute("data-ready", "1")
    return page


def test_a_reader_changes_and_steps_through_pictures(app_page: Page, subtests: pytest.Subtests) -> None:
    with subtests.test("a step is chosen among the small pictures or by key"):
        choose_steps(app_page)
    with subtests.test("the kind of source follows the checkpoint"):
        change_the_kind_of_source(app_page)
    with subtests.test("a new picture is decoded at once and described"):
        ask_for_a_picture(app_page)
    with subtests.test("a picture file is shrunk, and another file is refused"):
        upload_files(app_page)
    with subtests.test("attention is moved to a cell chosen by keys or pointer"):
        move_attention(app_page)
    with subtests.test("a shape is drawn on a cleared picture"):
        app_page.locator("#picture .pi-clear").click()
        blank = source(app_page).input_value()
        stamp(app_page, "red large circle", 0.3, 0.5)
        expect(source(app_page)).not_to_have_value(blank)


@pytest.mark.full
def test_a_drawn_shape_equals_the_servers_and_can_be_moved_and_removed(app_page: Page) -> None:
    app_page.locator("#picture .pi-clear").click()
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-stale", "true")
    kinds = ("circle", "square", "triangle", "star")
    for kind in kinds:
        stamp(app_page, f"blue large {kind}", 0.5, 0.5)
        drawn = np.asarray(read_picture(source(app_page).input_value(), PICTURE_SIZE), float)
        scene = Scene((Shape(kind, "blue", PICTURE_SIZE / 2, PICTURE_SIZE / 2, sum(LARGE) / 2),))
        assert np.abs(drawn - np.asarray(render(scene), float)).mean() < 3, kind
        app_page.locator("#picture .pi-undo").click()
    before = results(app_page)
    app_page.locator("#run").click()
    wait_for_result(app_page, before)
    expect(app_page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")
    app_page.locator("#picture .pi-clear").click()
    blank = source(app_page).input_value()
    stamp(app_page, "red small star", 0.3, 0.3)
    first = source(app_page).input_value()
    box = canvas(app_page).bounding_box()
    assert box is not None
    app_page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    app_page.mouse.down()
    app_page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.6 * box["height"], steps=4)
    app_page.mouse.up()
    expect(source(app_page)).not_to_have_value(first)
    moved = source(app_page).input_value()
    assert _centre(moved) == pytest.approx((0.7 * PICTURE_SIZE, 0.6 * PICTURE_SIZE), abs=1.5)
    canvas(app_page).focus()
    app_page.keyboard.press("ArrowLeft")
    expect(source(app_page)).not_to_have_value(moved)
    app_page.keyboard.press("Delete")
    expect(source(app_page)).to_have_value(blank)
    app_page.locator("#picture .pi-undo").click()
    expect(source(app_page)).not_to_have_value(blank)


def _centre(text: str) -> tuple[float, float]:
    """The centre of the pixels that are not white: column and row."""
    rows, columns = np.nonzero(np.asarray(read_picture(text, PICTURE_SIZE)).sum(axis=2) < 700)
    return float(columns.mean()) + 0.5, float(rows.mean()) + 0.5


@pytest.mark.full
def test_the_page_and_the_pictures_are_exported(
    app_page: Page, tmp_path: Path, expected_errors: list[str]
) -> None:
    expected_errors.append("request to another host: file:")  # the page itself
    open_chip(app_page, "share")
    with app_page.expect_download() as download:
        app_page.get_by_role("button", name="Download this view as a page").click()
    file = tmp_path / "page.html"
    download.value.save_as(file)
    offline = app_page.context.new_page()
    offline.goto(file.as_uri())
    view = offline.locator(".trace-view")
    expect(view).to_have_attribute("data-ready", "1")
    view.locator("button.tv-glance").nth(1).click()
    expect(view).to_have_attribute("data-step", "1")
    loaded = "images => images.length && images.every((image) => image.naturalWidth === 64)"
    assert view.locator(".tv-overlay img").evaluate_all(loaded)
    for kind, beginning in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        with app_page.expect_download() as download:
            open_more(app_page, "right").get_by_role(
                "button", name=f"Download the attention chart as {kind}"
            ).click()
        assert download.value.suggested_filename == f"unrolled-attention.{kind.lower()}"
        assert Path(download.value.path()).read_bytes().startswith(beginning)


@pytest.mark.parametrize("end", ['"><img src=x onerror=alert(1)>', "AAAA", ""])
def test_a_false_picture_is_never_shown(page: Page, bare: BarePage, end: str) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    view = open_trace(bare, replace(picture_trace(), source_text=f"{PICTURE_PREFIX}{end}"))
    expect(view.locator(".tv-out").first).to_be_visible()
    assert view.locator("img").count() == (0 if end != "AAAA" else view.locator(".tv-overlay").count())
    assert not dialogs


@pytest.mark.full
def test_strategies_and_pictures_are_compared(app_page: Page) -> None:
    app_page.get_by_role("tab", name="Compare").click()
    wait_for_comparison(app_page, 0)
    app_page.locator("#compare-picture").get_by_role("button", name="New picture").click()
    expect(app_page.locator("#compare-reference textarea")).not_to_have_value("")
    compare(app_page)
    expect(app_page.locator("#comparison tr[data-state=done]")).to_have_count(len(presets(ticked=True)))
    choose_mode(app_page, "Minimal pair")
    compare(app_page, "inputs")
    expect(app_page.locator("#comparison img.cp-picture")).to_have_count(2)
    expect(app_page.locator("#comparison .cp-overlays")).to_have_count(2)
    with app_page.expect_download() as download:
        app_page.locator("#comparison .cp-file", has_text="CSV").click()
    assert "base64" not in Path(download.value.path()).read_text(encoding="utf-8")
    choose_mode(app_page, "Two checkpoints")
    app_page.locator("#compare-run-checkpoints").click()
    expect(app_page.locator(".toast-body")).to_contain_text("so no source fits both")


def change_the_kind_of_source(page: Page) -> None:
    expect(canvas(page)).to_be_visible()
    expect(source(page)).to_be_hidden()
    assert source(page).input_value() == picture()
    choose_checkpoint(page, WORDS)
    expect(source(page)).to_be_visible()
    expect(canvas(page)).to_be_hidden()
    expect(page.locator("#trace .tv-glances")).to_be_hidden()
    expect(page.locator("#trace .tv-source .tv-src").first).to_be_visible()
    assert source(page).input_value() == TEXTS[0]
    choose_checkpoint(page, CAPTIONER)
    expect(canvas(page)).to_be_visible()
    expect(page.locator("#trace .tv-glances")).to_be_visible()
    assert source(page).input_value() == picture()


def ask_for_a_picture(page: Page) -> None:
    before = results(page)
    page.get_by_role("button", name="New picture").first.click()
    wait_for_result(page, before)
    expect(page.locator("#picture .pi-caption")).to_contain_text("What was drawn: a ")
    assert source(page).input_value() not in ("", picture())
    expect(page.locator("#trace .trace-view")).to_have_attribute("data-stale", "false")
    example = page.locator("#picture .pi-example").nth(1)
    example.click()
    wait_for_result(page, before + 1)
    expect(example).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#picture .pi-caption")).to_have_text("")


def upload_files(page: Page) -> None:
    before = results(page)
    buffer = io.BytesIO()
    render(SCENE, size=300).save(buffer, "JPEG")
    files = page.locator("#picture input[type=file]")
    files.set_input_files({"name": "a.jpg", "mimeType": "image/jpeg", "buffer": buffer.getvalue()})
    wait_for_result(page, before)
    sent = np.asarray(read_picture(source(page).input_value(), PICTURE_SIZE), float)
    assert np.abs(sent - np.asarray(render(SCENE), float)).mean() < 6
    files.set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": b"no picture"})
    expect(page.locator("#picture .pi-problem")).to_contain_text(
        "is not a picture that this browser can read"
    )
    assert results(page) == before + 1


def choose_steps(page: Page) -> None:
    view = page.locator("#trace .trace-view")
    glances = view.locator("button.tv-glance")
    expect(view.locator(".tv-out").nth(1)).to_be_visible()
    expect(glances).to_have_count(view.locator(".tv-out").count())
    glances.nth(1).click()
    expect(view).to_have_attribute("data-step", "1")
    expect(glances.nth(1)).to_have_attribute("aria-current", "step")
    word = view.locator(".tv-out b").nth(1).inner_text()
    expect(view.locator(".tv-picture-title")).to_have_text(f"Where it looked when it wrote “{word}”")
    page.keyboard.press("ArrowLeft")
    expect(glances.nth(0)).to_have_attribute("aria-current", "step")
    expect(view.locator(".tv-heatmap-scroll")).to_be_hidden()
    view.locator(".tv-picture-heatmap").check()
    expect(view.locator(".tv-heatmap .xtick text")).to_have_count(64)


def move_attention(page: Page) -> None:
    view = page.locator("#trace .trace-view")
    open_more(view, "right").locator(".tv-edit-attention").click()
    assert "base64" not in page.evaluate(PRINTED), "a picture as a text"
    view.get_by_role("button", name="row 1, column 1", exact=True).focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    cell = view.get_by_role("button", name="row 2, column 2", exact=True)
    expect(cell).to_have_attribute("aria-pressed", "true")
    expect(view).to_have_attribute("data-step", "0")
    view.locator(".tv-cancel").click()
    expect(view.locator(".tv-cell-grid")).to_have_count(0)
    open_more(view, "right").locator(".tv-edit-attention").click()
    expect(view.locator(".tv-apply")).to_be_disabled()
    view.get_by_role("button", name="row 2, column 3", exact=True).click()
    view.locator(".tv-apply").click()
    expect(view.locator(".tv-version")).to_have_count(2)
    expect(view.locator(".tv-version").nth(1)).to_contain_text("attention at step 1 on row 2, column 3")
    expect(view.locator(".tv-picture-cells li").first).to_have_text("row 2, column 31.00")
    expect(view.locator(".tv-cell-grid")).to_have_count(0)
