"""Random settings of a decoding that a request accepts."""

from __future__ import annotations

import random
from typing import Any

from demo.work.operator.caps import allowed_settings
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import decoding_options
from models.decoding.description import DecodingSetting
from models.decoding.options import DecodingOptions

TEXT = "¿Dónde? a&b=c#d%20+e~f,g:h;i 🙂 <b> ${x} 'q' (r)*!"


def some_settings(rng: random.Random, **fixed: str) -> DecodingOptions:
    """Draw settings until a request accepts them."""
    while True:
        try:
            return decoding_options(
                {name: some_value(rng, setting) for name, setting in allowed_settings().items()} | fixed
            )
        except RequestError:
            continue


def some_value(rng: random.Random, setting: DecodingSetting) -> Any:
    if setting.choices:
        return rng.choice(setting.words)
    if setting.low is None or setting.high is None:
        return rng.choice(("", TEXT, "the a", "~,:="))
    if setting.kind is int:
        return rng.randint(int(setting.low), int(setting.high))
    exact = rng.uniform(setting.low, setting.high)
    return rng.choice((exact, round(exact, 1))) or setting.high
