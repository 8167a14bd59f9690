"""The chip that describes the strategy and its settings."""

from __future__ import annotations

from itertools import product

import pytest

from demo.decode.controls.strategy import on_settings, strategy_chip
from demo.i18n import in_language
from demo.work.operator.caps import allowed_settings
from models.decoding.strategies import is_used, names


def summary(**values: object) -> object:
    values = {name: item.default for name, item in allowed_settings().items()} | values
    return on_settings(*values.values())


@pytest.mark.slow
def test_the_chip_names_the_strategy_and_its_main_settings() -> None:
    assert summary() == "Beam 4"
    assert summary(beam_size=8, length_penalty=0.6) == "Beam 8, α 0.6"
    assert summary(strategy="greedy") == "Greedy"


@pytest.mark.slow
def test_the_chip_follows_the_form_whatever_else_is_unfinished() -> None:
    for strategy, name in product(names(), allowed_settings()):
        usual = str(summary(strategy=strategy))
        words = str(summary(**{"strategy": strategy, name: None}))
        assert words == usual or "?" in words
        assert ("?" in words) <= (name == "strategy" or is_used(name, strategy))
    assert summary(beam_size=0.7) == "Beam ?"
    assert summary(strategy="threshold", no_repeat_ngram_size=0.7) == "Threshold beam 4"


def test_the_chip_opens_in_the_language_of_the_page() -> None:
    chip = strategy_chip()
    with in_language("es"):
        assert chip.translated_props()["value"] != chip.postprocess(chip.value) == "Beam 4"
