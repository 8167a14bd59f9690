"""The table of strategies: each registers itself under its name, and everybody asks here for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

from models.decoding.description import Description, Family
from models.decoding.search.strategy import DecodingStrategy

if TYPE_CHECKING:
    from models.decoding.settings import DecodingSetting

Registered = TypeVar("Registered", bound=type[DecodingStrategy])

NAME = re.compile(r"[a-z][a-z0-9_]*")
_TABLE: dict[str, type[DecodingStrategy]] = {}


def register(strategy: Registered) -> Registered:
    """Offer a class of strategies by its name; as a decorator, above `@dataclass`.

    Raises ValueError for a name that links, style sheets and command lines cannot hold, or another class has.
    """
    if not NAME.fullmatch(strategy.name):
        raise ValueError(f"{strategy.name!r} is no name for a strategy: use lower-case letters, digits and _")
    held = _TABLE.setdefault(strategy.name, strategy)
    if held is not strategy:
        raise ValueError(
            f"there is a strategy {strategy.name!r} already: {held.__qualname__}; choose another name"
        )
    return strategy


def forget(name: str) -> None:
    """Offer a strategy no longer."""
    _TABLE.pop(name, None)


def names() -> tuple[str, ...]:
    """Every strategy, in the order of their places."""
    return tuple(sorted(_TABLE, key=lambda name: (_TABLE[name].description.position, name)))


def strategy_class(name: str) -> type[DecodingStrategy]:
    """The class of that name. Raises KeyError."""
    return _TABLE[name]


def described(name: str) -> Description:
    """What is said of a strategy; of one that nobody registered, as of an old trace, that it searches."""
    known = _TABLE.get(name)
    return known.description if known else Description(name, "", Family.SEARCH, name, ())


def family(kind: Family) -> tuple[str, ...]:
    """The strategies of a family, in the order of a form."""

    def place(name: str) -> int:
        own = described(name)
        return own.position if own.form_position is None else own.form_position

    return tuple(sorted((name for name in names() if described(name).family is kind), key=place))


def class_names() -> dict[str, str]:
    """Settings by the other names that classes of strategies, and so their traces, have for them."""
    return {own: setting for name in names() for setting, own in described(name).fields.items()}


def users(setting: str) -> tuple[str, ...]:
    """The strategies that a setting matters to; none if it matters to all."""
    return tuple(name for name in names() if setting in described(name).settings)


def meaning(setting: DecodingSetting) -> str:
    """One sentence for programs: what a setting is for, its bounds, its choices and who uses it."""
    return setting.explained(users(setting.name))
