"""What a visitor asks for, checked: a text, a checkpoint, how to decode, and what to impose on the decoder.

Knows no Gradio, and loads no torch until a strategy is built.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, fields
from typing import Any

from demo.checks import RequestError, check_name, check_text
from demo.i18n import say
from demo.strategy import StrategySettings
from models.decoding.trace import AttentionOverride

__all__ = ["DecodeRequest", "RequestError", "check_name", "check_text", "decode_request"]


@dataclass(frozen=True)
class DecodeRequest:
    """One decoding. Raises RequestError for any value that is not what it should be."""

    checkpoint: str
    text: str
    settings: StrategySettings = field(default_factory=StrategySettings)
    forced: tuple[int, ...] = ()  # ids of the first tokens
    overrides: tuple[AttentionOverride, ...] = ()

    def __post_init__(self) -> None:
        check_name(self.checkpoint)
        check_text(self.text)
        if not self.text.strip():
            raise RequestError(say("There is no text to decode. Type a sentence first."))


def decode_request(checkpoint: Any, text: Any, *settings: Any) -> DecodeRequest:
    """A request from the values of the page's widgets, in the order of `StrategySettings`."""
    return DecodeRequest(checkpoint, text, StrategySettings(*settings))


def _flat_signature() -> inspect.Signature:
    """What the API shows: each setting a parameter of its own."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    own = [inspect.Parameter(name, kind, annotation=str) for name in ("checkpoint", "text")]
    settings = [
        inspect.Parameter(item.name, kind, default=item.default, annotation=item.type)
        for item in fields(StrategySettings)
    ]
    return inspect.Signature([*own, *settings])


decode_request.__signature__ = _flat_signature()  # type: ignore[attr-defined]
