"""Checks of decoding options from outside, which have names and any type, against the operator's bounds.

Imports neither Gradio nor torch.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from demo.work.operator.caps import CAPS, allowed_settings
from demo.work.requests.checks import RequestError
from models.decoding.limits import DecodingError
from models.decoding.options import DecodingOptions
from models.decoding.strategies import setting_by_field
from models.errors import brief


def default_options() -> DecodingOptions:
    """The options of a request that sets none."""
    return DecodingOptions(**{name: item.default for name, item in allowed_settings().items()})


def decoding_options(values: object, max_length: int | None = None) -> DecodingOptions:
    """The options of a request: settings by their names, or as an answer has them. Raises RequestError.

    Missing settings have their defaults; `max_length`, in tokens, is for requests that do not set it.
    """
    if not isinstance(values, Mapping):
        raise RequestError(
            "strategy_not_an_object",
            "A strategy must be an object with its settings; got {value}.",
            value=brief(values),
        )
    renamed = setting_by_field()
    values = {renamed.get(name, name): value for name, value in values.items()}
    unknown = [name for name in values if name not in allowed_settings()]
    if unknown:
        raise RequestError(
            "no_such_decoding_setting",
            "There is no setting {name}; there are: {settings}.",
            name=brief(unknown[0]),
            settings=", ".join(allowed_settings()),
        )
    if max_length is not None:
        values = {"max_length": max_length, **values}
    try:
        with as_request_error():
            checked = {
                name: item.request_value(values.get(name, item.default))
                for name, item in allowed_settings().items()
            }
            return DecodingOptions(**checked, bounds=allowed_settings())
    except RequestError as error:
        error.strategy = str(values.get("strategy", DecodingOptions.strategy))
        raise


def chosen_settings(options: DecodingOptions) -> dict[str, Any]:
    """The settings that are not the default ones, and the strategy."""
    defaults = asdict(default_options())
    return {
        name: value
        for name, value in asdict(options).items()
        if name == "strategy" or value != defaults[name]
    }


def check_allowed(options: DecodingOptions) -> None:
    """Raises RequestError for options beyond the operator's caps, which `decoding_options` checks too."""
    for name, cap in CAPS.items():
        if getattr(options, name) > cap:
            allowed_settings()[name].check(getattr(options, name), RequestError)


@contextmanager
def as_request_error() -> Iterator[None]:
    """Turns DecodingError into RequestError with the same message."""
    try:
        yield
    except DecodingError as error:
        raise RequestError(error.message) from error
