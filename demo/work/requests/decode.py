"""A request for a decoding, checked: text, checkpoint, options, and interventions.

Imports no Gradio, and torch only to build a strategy.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from demo.work.operator.allowed_settings import allowed_settings
from demo.work.requests.checks import RequestError, check_name, check_text
from demo.work.requests.options import check_allowed, decoding_options, default_options
from models.decoding.options import DecodingOptions
from models.decoding.settings import DecodingSetting
from models.decoding.strategies import is_used
from models.decoding.trace import AttentionOverride
from models.tokenization.plain_text import NO_TEXT, plain_text

__all__ = ["DecodeRequest", "RequestError", "check_name", "check_text", "decode_request"]


@dataclass(frozen=True)
class DecodeRequest:
    """One decoding. Raises RequestError for any invalid value."""

    checkpoint: str
    text: str
    settings: DecodingOptions = field(default_factory=default_options)
    forced: tuple[int, ...] = ()  # ids of the first tokens
    overrides: tuple[AttentionOverride, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.checkpoint)
        check_text(self.text)
        if not plain_text(self.text):
            raise RequestError(NO_TEXT)
        check_allowed(self.settings)


def decode_request(checkpoint: Any, text: Any, *settings: Any) -> DecodeRequest:
    """A request from the values of the page's widgets, in the order of `DecodingOptions`.

    The form hides what the strategy does not use: an unfinished value there is no reason to refuse.
    """
    values = dict(zip(allowed_settings(), settings, strict=False))
    for name, item in allowed_settings().items():
        if _is_hidden(item, values) and item.problem(values.get(name)):
            values.pop(name, None)
    return DecodeRequest(checkpoint, text, decoding_options(values))


def _is_hidden(item: DecodingSetting, values: Mapping[str, Any]) -> bool:
    """Whether the form hides a setting for these values, see `demo.decode.controls.strategy`."""
    is_idle = item.idle is not None and values.get(item.idle[0]) == item.idle[1]
    return is_idle or not is_used(item.name, values.get("strategy", ""))


def _flat_signature() -> inspect.Signature:
    """The signature for the API: each setting a parameter of its own."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    fixed = [inspect.Parameter(name, kind, annotation=str) for name in ("checkpoint", "text")]
    settings = [
        inspect.Parameter(item.name, kind, default=item.default, annotation=item.kind)
        for item in allowed_settings().values()
    ]
    return inspect.Signature([*fixed, *settings])


decode_request.__signature__ = _flat_signature()  # type: ignore[attr-defined]
