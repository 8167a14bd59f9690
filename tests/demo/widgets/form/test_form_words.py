"""Refusals that people read name a setting by its label on their form, never as programs do."""

from __future__ import annotations

import re
from typing import Any

import pytest

from demo.i18n import LANGUAGES, in_language, say
from demo.links import Link
from demo.widgets.strategy_picker.component import describe
from demo.work.errors import form_sentence
from demo.work.operator.caps import allowed_settings
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import decoding_options
from models.decoding.strategies import description_of, names

NUMBERS = {name: item for name, item in allowed_settings().items() if item.high is not None}
PROGRAM_NAME = re.compile(r"\b[a-z]+_[a-z_]+\b")


def refused(strategy: str, name: str) -> dict[str, Any]:
    return {"strategy": strategy, name: float(NUMBERS[name].high or 0) + 1.5}


@pytest.mark.parametrize("strategy", names())
def test_a_refused_setting_has_the_label_of_the_form_of_its_strategy(strategy: str) -> None:
    captions = description_of(strategy).captions
    for name in NUMBERS.keys() & {*description_of(strategy).settings}:
        label = captions[name].label if name in captions else NUMBERS[name].label
        for code in LANGUAGES:
            with in_language(code):
                assert say(label) in describe(refused(strategy, name))["problem"]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_fault_of_a_link_has_labels(name: str) -> None:
    link = Link.parse([(name, "9999999.5")])
    link.take_settings(64)
    assert link.faults
    assert NUMBERS[name].label in link.faults[0]
    assert not [fault for fault in link.faults if PROGRAM_NAME.search(fault)]


def test_exhaustive_search_is_refused_for_the_outputs_kept() -> None:
    with pytest.raises(RequestError) as excinfo:
        decoding_options({"strategy": "exhaustive", "beam_size": 99})
    assert form_sentence(excinfo.value).startswith("'Outputs kept' must be")
