"""A request takes the settings as an answer states them."""

from __future__ import annotations

import json
import random

import pytest

from demo.work.requests.decode import decoding_options
from models.decoding.record.recorded_settings import settings_for_trace
from models.decoding.strategies import names
from tests.fakes.settings import some_settings


@pytest.mark.parametrize("strategy", names())
@pytest.mark.parametrize("seed", range(10))
def test_the_settings_of_an_answer_can_be_asked_for_again(strategy: str, seed: int) -> None:
    answer = json.loads(json.dumps(settings_for_trace(some_settings(random.Random(seed), strategy=strategy))))
    assert settings_for_trace(decoding_options({"strategy": strategy, **answer})) == answer
