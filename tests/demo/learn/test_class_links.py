"""Links for a class: presets of hidden parts, and the QR code of a link."""

from __future__ import annotations

from urllib.parse import unquote

import pytest

from demo.links.hiding import PRESETS, parts
from demo.trace.trace_card import cards
from demo.widgets.share.component import MAX_CHARACTERS, on_qr_code
from demo.work.requests.checks import RequestError
from tests.refusals import refused


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_of_a_class_link_keeps_its_parts(name: str) -> None:
    preset = PRESETS[name]
    assert {*preset.hidden, *preset.visible} <= parts().keys()
    for tab in preset.tabs:
        hidden = {*preset.hidden_on(tab)}
        assert not hidden & {*preset.visible}
        assert bool(hidden) == (name != "all")
        visible = [card for card in cards() if card.part is not None and card.part.name in preset.visible]
        assert not [card.name for card in visible if hidden & {*card.hiding_parts}]


def test_a_link_is_drawn_as_an_image_that_needs_no_network() -> None:
    image = on_qr_code({"text": "http://here/?tab=decode"})["image"]
    assert image.startswith("data:image/svg+xml")
    assert "<path" in unquote(image)
    assert on_qr_code({"text": "http://here/?tab=compare"})["image"] != image


@pytest.mark.parametrize("data", [None, {}, {"text": ""}, {"text": 3}, {"text": "x" * (MAX_CHARACTERS + 1)}])
def test_a_missing_or_long_text_for_a_qr_code_is_refused(data: object) -> None:
    with refused(RequestError, "no_qr_code"):
        on_qr_code(data)
