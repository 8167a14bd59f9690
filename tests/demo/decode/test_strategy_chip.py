"""The chip that describes the strategy and its settings."""

from __future__ import annotations

from itertools import product

import gradio as gr
import pytest

from demo.decode.controls.strategy import StrategyControls, build_strategy_card
from demo.decode.controls.strategy_chip import StrategyChip, on_settings
from demo.i18n import in_language
from demo.work.operator.allowed_settings import allowed_settings
from models.decoding.strategies import is_used, names


@pytest.fixture
def controls() -> StrategyControls:
    with gr.Blocks(analytics_enabled=False):
        return build_strategy_card(60).controls


def summary(controls: StrategyControls, **values: object) -> object:
    values = {name: item.default for name, item in allowed_settings().items()} | values
    return on_settings(controls, *values.values())


@pytest.mark.slow
def test_the_chip_names_the_strategy_and_its_main_settings(controls: StrategyControls) -> None:
    assert summary(controls) == "Beam 4"
    assert summary(controls, beam_size=8, length_penalty=0.6) == "Beam 8, α 0.6"
    assert summary(controls, strategy="greedy") == "Greedy"


@pytest.mark.slow
def test_the_chip_follows_the_form_whatever_else_is_unfinished(controls: StrategyControls) -> None:
    for strategy, name in product(names(), allowed_settings()):
        usual = str(summary(controls, strategy=strategy))
        words = str(summary(controls, **{"strategy": strategy, name: None}))
        assert words == usual or "?" in words
        assert ("?" in words) <= (name == "strategy" or is_used(name, strategy))
    assert summary(controls, beam_size=0.7) == "Beam ?"
    assert summary(controls, strategy="threshold", no_repeat_ngram_size=0.7) == "Threshold beam 4"


def test_the_chip_opens_in_the_language_of_the_page() -> None:
    chip = StrategyChip()
    with in_language("es"):
        assert chip.translated_props()["value"] != chip.postprocess(chip.value) == "Beam 4"
