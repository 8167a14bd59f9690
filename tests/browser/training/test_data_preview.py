"""The preview of data in a browser: a long text does not push its neighbour out of view."""

from __future__ import annotations

from dataclasses import replace

import gradio as gr
import pytest
from playwright.sync_api import Page, expect

from demo.views.training.data_preview.component import DataView
from tests.browser.conftest import Serve
from tests.browser.cut_text import cut_texts
from tests.demo.views.test_data_preview import DATA, data_preview


@pytest.mark.parametrize("width", [1440, 390])
def test_a_row_of_three_thousand_letters_leaves_its_target_visible(
    page: Page, serve: Serve, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    with gr.Blocks(analytics_enabled=False) as blocks:
        DataView(data_preview(replace(DATA, train=(("x" * 3000, "short"), *DATA.train)), max_pieces=4000))
    page.goto(serve(blocks))
    target = page.get_by_role("cell", name="short", exact=True)
    expect(target).to_be_attached()
    box = target.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= width
    assert box["width"] > width / 4
    assert box["height"] < 450, "the rows below are near"
    assert cut_texts(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
