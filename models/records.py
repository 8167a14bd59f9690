"""Records from files: dataclasses and named tuples whose values have the annotated types."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

MAX_INTEGER = 1 << 53  # a browser rounds larger integers
Check = Callable[[str, Any], None]
Record = TypeVar("Record")


def finite(name: str, value: Any) -> None:
    """Raise ValueError unless this is a number that a browser can hold."""
    if type(value) not in {int, float}:
        raise ValueError(f"{name} is not a number")
    if not abs(value) <= MAX_INTEGER:
        raise ValueError(f"{name} is not a finite number")


def record(kind: type[Record], values: Mapping[str, Any], number: Check = finite) -> Record:
    """The record of these fields. Raises ValueError unless all are there and have the annotated types."""
    try:
        result = kind(**values)
        conform(kind.__name__, result, kind, number)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"these are not the values of a {kind.__name__}") from error
    return result


def mapping(name: str, value: object) -> None:
    """Raise ValueError unless this is a mapping."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} is not an object")


def conform(name: str, value: Any, hint: Any, number: Check = finite, other: Check = mapping) -> None:
    """Raise ValueError unless `value` and all its parts have the annotated types.

    `number` checks a float, `other` a mapping.
    """
    origin, parts = get_origin(hint), get_args(hint)
    if hint is float:
        number(name, value)
    elif origin in {Union, types.UnionType}:
        (not_none,) = (part for part in parts if part is not type(None))
        if value is not None:
            conform(name, value, not_none, number, other)
    elif origin is tuple:
        if not isinstance(value, tuple):
            raise ValueError(f"{name} is not a list")
        for item in value:
            conform(name, item, parts[0], number, other)
    elif is_dataclass(hint) or hasattr(hint, "_fields"):  # a dataclass or a named tuple
        for field, kind in _hints(hint):
            conform(field, getattr(value, field), kind, number, other)
    elif origin is not None:
        other(name, value)
    elif hint is str:
        if not isinstance(value, str):  # it may be a Message
            raise ValueError(f"{name} must be a text, not {type(value).__name__}")
        value.encode()  # half of a surrogate pair raises a ValueError
    elif type(value) is not hint:
        raise ValueError(f"{name} must be {hint.__name__}, not {type(value).__name__}")
    elif hint is int and abs(value) > MAX_INTEGER:
        raise ValueError(f"{name} is too large")


@cache
def _hints(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(get_type_hints(kind).items())
