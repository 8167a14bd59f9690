"""The options of a decoding as they come from outside: by name, of any type, within what the operator allows.

Knows no Gradio, and loads no torch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from demo.operator.allowed import allowed
from demo.requests.checks import RequestError
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.strategies import class_names
from models.errors import brief


def default_options() -> DecodingOptions:
    """What is asked where nothing is said."""
    return DecodingOptions(**{name: item.default for name, item in allowed().items()})


def asked_options(values: object, max_length: int | None = None) -> DecodingOptions:
    """Options from settings by their names, or as an answer has them. Raises RequestError.

    Those left out are the default ones; `max_length` is for who says nothing of it, in tokens.
    """
    if not isinstance(values, Mapping):
        raise RequestError(
            "strategy_not_an_object",
            "A strategy must be an object with its settings; got {value}.",
            value=brief(values),
        )
    renamed = class_names()
    values = {renamed.get(name, name): value for name, value in values.items()}
    unknown = [name for name in values if name not in allowed()]
    if unknown:
        raise RequestError(
            "no_such_decoding_setting",
            "There is no setting {name}; there are: {settings}.",
            name=brief(unknown[0]),
            settings=", ".join(allowed()),
        )
    default = default_options()
    own = {} if max_length is None else {"max_length": max_length}
    given = {name: getattr(default, name) for name in allowed()} | own | values
    with told():
        checked = {name: item.checked(item.said(given[name])) for name, item in allowed().items()}
        return DecodingOptions(**checked)


def chosen_settings(options: DecodingOptions) -> dict[str, Any]:
    """The settings that are not the default ones, and the strategy."""
    free = asdict(default_options())
    return {
        name: value for name, value in asdict(options).items() if name == "strategy" or value != free[name]
    }


def check_allowed(options: DecodingOptions) -> None:
    """Raises RequestError unless this server may be asked so."""
    with told():
        for name, item in allowed().items():
            item.checked(getattr(options, name))


@contextmanager
def told() -> Iterator[None]:
    """What the library refuses as a RequestError, with its message."""
    try:
        yield
    except DecodingError as error:
        raise RequestError(error.message) from error
