"""The preview of data in a browser: a long text does not push its neighbour out of view."""

from __future__ import annotations

from dataclasses import replace

from playwright.sync_api import expect

from demo.training.data_preview.component import DataView
from tests.browser.bare_page import BarePage
from tests.browser.cut_text import cut_texts
from tests.demo.training.test_data_preview import DATA, data_preview


def test_a_row_of_three_thousand_letters_leaves_its_target_visible(bare: BarePage) -> None:
    long = replace(DATA, train=(("x" * 3000, "short"), *DATA.train))
    bare.open(DataView(data_preview(long, max_pieces=4000)))
    page = bare.page
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        target = page.get_by_role("cell", name="short", exact=True)
        expect(target).to_be_attached()
        box = target.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width
        assert box["width"] > width / 4
        assert box["height"] < 450, "the rows below are near"
        assert cut_texts(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
