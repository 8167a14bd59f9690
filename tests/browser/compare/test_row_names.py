"""The names of the strategies in the chips of a comparison."""

from __future__ import annotations

from playwright.sync_api import expect

from demo.widgets.strategy_picker.component import StrategyPicker
from tests.browser.bare_page import BarePage


def test_no_two_chips_have_the_same_name(bare: BarePage) -> None:
    bare.open(StrategyPicker(elem_id="picker"))
    variants = [{"strategy": "greedy", "no_repeat_ngram_size": 1}, {"strategy": "beam", "max_length": 9}]
    bare.show([{"strategy": "greedy"}, {"strategy": "beam", "beam_size": 4}, *variants])
    ticked = bare.page.locator(".sp-option:has(:checked) .sp-name")
    expect(ticked).to_have_count(4)
    names = bare.page.locator(".sp-name").all_text_contents()
    assert len(set(names)) == len(names)
