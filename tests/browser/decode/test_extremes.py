"""The Decode tab with the longest texts, on screens of every size: all cut texts can be read somehow."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.cut_text import cut_texts, half_rows, scrollers
from tests.browser.decode_page import change, choose_checkpoint, decode, open_rail, visit

SIZES = [(1440, 900), (1280, 720), (768, 1024), (720, 450), (390, 844)]  # 720 x 450: twice as large as usual
LONG = (
    "ayer por la tarde mi hermana y su amiga quisieron comprar una casa grande y muy cara cerca del mar "
    "porque este verano va a hacer mucho calor en la ciudad y todos nuestros vecinos se van"
)
# Tabs that a mouse cannot reach, since they lie beyond their pane or below its buttons.
OUT_OF_REACH = """() => [...document.querySelectorAll("#trace [role=tab]")].filter((tab) => {
  const box = tab.getBoundingClientRect();
  const around = tab.parentElement.getBoundingClientRect();
  return box.width && (box.right > around.right + 1 || box.bottom > around.bottom + 1);
}).map((tab) => tab.textContent)"""


@pytest.mark.full
def test_long_texts_are_not_cut(app_page: Page) -> None:
    open_rail(app_page)
    change(app_page, "Beam size", "16")
    for text, sizes in ((LONG, SIZES), ("x" * 80, SIZES[-1:]), ("مرحبا بالعالم 图书馆在哪里", SIZES[-1:])):
        decode(app_page, text)
        for width, height in sizes:
            app_page.set_viewport_size({"width": width, "height": height})
            assert app_page.evaluate("document.documentElement.scrollWidth") == width, text
            assert cut_texts(app_page) == [], (width, text)
            assert half_rows(app_page) == [], (width, text)
            assert [scrolling for scrolling in scrollers(app_page) if len(scrolling) > 1] == [], (width, text)
            assert app_page.evaluate(OUT_OF_REACH) == [], (width, text)
    expect(app_page.locator("#trace [data-caption=doubts]")).to_contain_text("The vocabulary has no word")


def test_a_phone_shows_the_output_of_a_picture_on_its_first_screen(page: Page, app_url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, app_url)
    choose_checkpoint(page, "shapes-captioner")
    page.keyboard.press("Escape")
    expect(page.locator("#checkpoint-chip .chip-button")).to_have_attribute("aria-expanded", "false")
    stepper = page.locator("#trace .tv-stepper")
    box = stepper.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 844
    expect(page.locator("#picture .pi-colours")).to_be_hidden()
    page.locator("#picture .pi-tools summary").click()
    expect(page.locator("#picture .pi-colours")).to_be_visible()
    expect(page.locator("#trace [data-caption=doubts]")).to_have_text("")  # a picture has no length in words
