"""The chip that says in words what the strategy controls say."""

from __future__ import annotations

import gradio as gr
import pytest

from demo.controls.strategy import StrategyControls, build_strategy_card
from demo.controls.strategy_chip import StrategyChip, on_settings
from demo.i18n import spoken
from demo.operator.allowed_settings import allowed


@pytest.fixture
def controls() -> StrategyControls:
    with gr.Blocks(analytics_enabled=False):
        return build_strategy_card(60).controls


def said(controls: StrategyControls, **values: object) -> object:
    values = {name: item.default for name, item in allowed().items()} | values
    return on_settings(controls, "before", *values.values())


@pytest.mark.slow
def test_it_names_the_strategy_with_what_makes_it_what_it_is(controls: StrategyControls) -> None:
    assert said(controls) == "Beam 4"
    assert said(controls, beam_size=8, length_penalty=0.6) == "Beam 8, α 0.6"
    assert said(controls, strategy="greedy") == "Greedy"


@pytest.mark.slow
def test_what_cannot_be_asked_for_leaves_it_as_it_is(controls: StrategyControls) -> None:
    assert said(controls, strategy="diverse", num_groups=3) == "before"


def test_it_opens_in_the_language_of_the_page() -> None:
    chip = StrategyChip()
    with spoken("es"):
        assert chip.spoken_props()["value"] != chip.postprocess(chip.value) == "Beam 4"
