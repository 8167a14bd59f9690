"""Whether the settings of a recipe are what they must be; each message gives the setting's full name.

`prefix` is the section's name and a dot, as in "optimizer.".
"""

from __future__ import annotations

import math
from typing import Any

from models.networks.config import ConfigError


def check_count(prefix: str, config: Any, least: int, *names: str) -> None:
    """Whole numbers of at least `least`. Raises ConfigError."""
    for name in names:
        value = getattr(config, name)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 2**63:
            raise ConfigError(f"{prefix}{name} must be a whole number of at least {least}; got {value!r}")


def check_number(
    prefix: str, config: Any, name: str, low: float, high: float, *, above: bool = False, below: bool = False
) -> None:
    """low <= value <= high; `above` and `below` leave out the ends."""
    value = getattr(config, name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not low <= value <= high or (above and value == low) or (below and value == high):
        ends = f"{'above' if above else 'at least'} {low}"
        if high < math.inf:
            ends += f" and {'below' if below else 'at most'} {high}"
        raise ConfigError(f"{prefix}{name} must be a number {ends}; got {value!r}")


def check_texts(prefix: str, config: Any, *names: str) -> None:
    """Texts. Raises ConfigError."""
    for name in names:
        if not isinstance(getattr(config, name), str):
            raise ConfigError(f"{prefix}{name} must be a text; got {getattr(config, name)!r}")


def check_switch(prefix: str, config: Any, *names: str) -> None:
    """True or false. Raises ConfigError."""
    for name in names:
        if not isinstance(getattr(config, name), bool):
            raise ConfigError(f"{prefix}{name} must be true or false; got {getattr(config, name)!r}")


def check_choice(prefix: str, config: Any, name: str, allowed: tuple[str, ...]) -> None:
    """One of the allowed. Raises ConfigError."""
    if getattr(config, name) not in allowed:
        raise ConfigError(
            f"{prefix}{name} must be one of {', '.join(allowed)}; got {getattr(config, name)!r}"
        )
