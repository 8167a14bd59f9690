"""Decoding strategies, one per file. A strategy makes the decisions of a search; the loop carries them out.

The package loads all its modules, and each registers its strategy in the table, so a new strategy is only a
new file. No module loads torch before a search begins.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from models.decoding.description import Description, Family
from models.decoding.search.strategy import DecodingStrategy
from models.discovery import import_modules

if TYPE_CHECKING:
    from models.decoding.description import DecodingSetting

Registered = TypeVar("Registered", bound=type[DecodingStrategy])

NAME = re.compile(r"[a-z][a-z0-9_]*")
_TABLE: dict[str, type[DecodingStrategy]] = {}


def register(strategy: Registered) -> Registered:
    """Add a strategy to the table under its name; use it as a decorator above `@dataclass`.

    Raises ValueError if another class has the name, or if a link, style sheet or command line cannot hold it.
    """
    if not NAME.fullmatch(strategy.name):
        raise ValueError(
            f"{strategy.name!r} is not a name for a strategy: use lower-case letters, digits and _"
        )
    registered = _TABLE.setdefault(strategy.name, strategy)
    if registered is not strategy:
        raise ValueError(
            f"there is a strategy {strategy.name!r} already: {registered.__qualname__}; choose another name"
        )
    return strategy


def forget(name: str) -> None:
    """Remove a strategy from the table."""
    _TABLE.pop(name, None)


def names() -> tuple[str, ...]:
    """The names of all strategies by `Description.position`."""
    return tuple(sorted(_TABLE, key=lambda name: (_TABLE[name].description.position, name)))


def strategy_class(name: str) -> type[DecodingStrategy]:
    """The class of a strategy. Raises KeyError for an unknown name."""
    return _TABLE[name]


def description_of(name: str) -> Description:
    """The description of a strategy; an unregistered one, as in an old trace, gets an empty one."""
    strategy = _TABLE.get(name)
    return strategy.description if strategy else Description(name, "", Family.SEARCH, name, ())


def family(kind: Family) -> tuple[str, ...]:
    """The names of the strategies of a family, as a form lists them."""

    def position(name: str) -> int:
        description = description_of(name)
        return description.position if description.form_position is None else description.form_position

    return tuple(sorted((name for name in names() if description_of(name).family is kind), key=position))


def setting_by_field() -> dict[str, str]:
    """Map each field of a strategy to its setting where the two names differ. Traces have the field."""
    return {field: setting for name in names() for setting, field in description_of(name).fields.items()}


def users(setting: str) -> tuple[str, ...]:
    """The names of the strategies that use a setting; empty if all strategies use it."""
    return tuple(name for name in names() if setting in description_of(name).settings)


def is_used(setting: str, strategy: str) -> bool:
    """Whether a strategy uses a setting."""
    return strategy in (users(setting) or names())


def meaning(setting: DecodingSetting) -> str:
    """One sentence for programs: the purpose of a setting, its bounds, its choices and its strategies."""
    return setting.explanation(users(setting.name))


import_modules(__name__)  # below the functions, since each module imports `register`
