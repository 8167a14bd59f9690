"""Whether the settings of a recipe are what they must be; each message gives the setting's full name.

`prefix` is the section's name and a dot, as in "optimizer.".
"""

from __future__ import annotations

import math
from typing import Any

from models.errors import Message, not_a_switch, not_a_text, not_one_of, not_whole, shown
from models.networks.config import ConfigError


def check_count(prefix: str, config: Any, least: int, *names: str) -> None:
    """Whole numbers of at least `least`. Raises ConfigError."""
    for name in names:
        value = getattr(config, name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 2**63:
            raise ConfigError(not_whole(f"{prefix}{name}", least, value))


def check_number(
    prefix: str, config: Any, name: str, low: float, high: float, *, above: bool = False, below: bool = False
) -> None:
    """low <= value <= high; `above` and `below` leave out the ends."""
    value = getattr(config, name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not low <= value <= high or (above and value == low) or (below and value == high):
        raise ConfigError(
            "not_a_number_within",
            "{name} must be a number {ends}; got {value}",
            name=f"{prefix}{name}",
            ends=_ends(low, high, above, below),
            value=shown(value),
        )


def _ends(low: float, high: float, above: bool, below: bool) -> Message:
    """What a number must be: "above 0 and at most 1"."""
    least = (
        Message("above", "above {value}", value=low)
        if above
        else Message("at_least", "at least {value}", value=low)
    )
    if high == math.inf:
        return least
    most = (
        Message("below", "below {value}", value=high)
        if below
        else Message("at_most", "at most {value}", value=high)
    )
    return Message("both_ends", "{least} and {most}", least=least, most=most)


def check_texts(prefix: str, config: Any, *names: str) -> None:
    """Texts. Raises ConfigError."""
    for name in names:
        if not isinstance(getattr(config, name), str):
            raise ConfigError(not_a_text(f"{prefix}{name}", getattr(config, name)))


def check_switch(prefix: str, config: Any, *names: str) -> None:
    """True or false. Raises ConfigError."""
    for name in names:
        if not isinstance(getattr(config, name), bool):
            raise ConfigError(not_a_switch(f"{prefix}{name}", getattr(config, name)))


def check_choice(prefix: str, config: Any, name: str, allowed: tuple[str, ...]) -> None:
    """One of the allowed. Raises ConfigError."""
    if getattr(config, name) not in allowed:
        raise ConfigError(not_one_of(f"{prefix}{name}", allowed, getattr(config, name)))
