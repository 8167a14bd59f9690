"""A what-if: the current decoding, repeated with a prefix or an attention row of the reader's choice.

The browser's values are checked here: the trace's own settings, the ids of a prefix, a typed token, rows of
weights. Imports no Gradio, and torch only to look up a typed token.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.i18n import later
from demo.work.operator.caps import MAX_OUTPUT_TOKENS, MAX_TYPED_CHARACTERS
from demo.work.requests.checks import RequestError, check_name, check_short_text, number, whole
from demo.work.requests.decode import DecodeRequest, as_request_error, decoding_options
from models.decoding.options import DecodingOptions
from models.decoding.record.recorded_settings import option_values
from models.decoding.trace import AttentionOverride
from models.errors import brief

if TYPE_CHECKING:
    from models.tokenization.tokenizer import Tokenizer

MAX_OVERRIDES = 20
MAX_TOKENS = 1024  # the most tokens of a source, and ids of a vocabulary are far below a million
MAX_ID = 1_000_000


@dataclass(frozen=True)
class WhatIf:
    """One edit of a decoding. Raises RequestError for any invalid value."""

    checkpoint: str
    text: str
    settings: DecodingOptions
    forced: tuple[int, ...] = ()  # ids of the prefix that is kept
    typed: str = ""  # the reader's text after it
    overrides: tuple[AttentionOverride, ...] = ()

    @classmethod
    def parse(cls, data: object) -> WhatIf:
        """The edit in an event of a `TraceView`."""
        if not isinstance(data, Mapping):
            raise RequestError(
                "edit_not_an_object", "An edit must be an object; got {value}.", value=brief(data)
            )
        check_name(data.get("checkpoint"))
        typed = data.get("typed", "")
        check_short_text(later("typed token"), typed, MAX_TYPED_CHARACTERS)
        return cls(
            checkpoint=str(data["checkpoint"]),
            text=data.get("text", ""),  # checked with the request
            settings=settings_of(data.get("strategy"), data.get("settings")),
            forced=token_ids("forced", data.get("forced", ())),
            typed=typed,
            overrides=_overrides(data.get("overrides", ())),
        )

    def request(self, tokenizer: Tokenizer) -> DecodeRequest:
        """The decoding to do. Raises RequestError if the typed token cannot be forced."""
        forced = (*self.forced, *typed_ids(tokenizer, self.typed)) if self.typed else self.forced
        return DecodeRequest(self.checkpoint, self.text, self.settings, forced, self.overrides)


def typed_ids(tokenizer: Tokenizer, typed: str) -> tuple[int, ...]:
    """The tokens of a typed text. Raises RequestError if the vocabulary lacks it."""
    from models.decoding.interventions import token_ids_of_text

    with as_request_error():
        return tuple(token_ids_of_text(tokenizer, typed))


def settings_of(strategy: object, settings: object) -> DecodingOptions:
    """The settings of a trace, as the page's controls hold them. Raises RequestError."""
    if not isinstance(settings, Mapping):
        raise RequestError(
            "settings_not_an_object", "settings must be an object; got {value}.", value=brief(settings)
        )
    recorded = option_values(strategy, settings) if isinstance(strategy, str) else {}
    return decoding_options({**recorded, "strategy": strategy})


def token_ids(name: str, values: object) -> tuple[int, ...]:
    """The ids of an output's tokens. Raises RequestError."""
    if not _is_list(values, MAX_OUTPUT_TOKENS):
        raise RequestError(
            "not_token_ids",
            "{name} must be a list of at most {limit} token ids.",
            name=name,
            limit=MAX_OUTPUT_TOKENS,
        )
    return tuple(whole(later("A token"), value, 0, MAX_ID) for value in values)  # type: ignore[attr-defined]


def _overrides(values: object) -> tuple[AttentionOverride, ...]:
    if not _is_list(values, MAX_OVERRIDES):
        raise RequestError(
            "too_many_attention_rows",
            "At most {limit} attention rows can be replaced. Undo some.",
            limit=MAX_OVERRIDES,
        )
    return tuple(_override(value) for value in values)  # type: ignore[attr-defined]


def _override(value: object) -> AttentionOverride:
    if not isinstance(value, Mapping) or not _is_list(value.get("weights"), MAX_TOKENS):
        raise RequestError(
            "attention_row_incomplete", "An attention row must have a step and a list of weights."
        )
    layer, head = (
        None if value.get(name) is None else whole(name, value[name], 0, 1000) for name in ("layer", "head")
    )
    return AttentionOverride(
        step=whole("step", value.get("step"), 0, MAX_OUTPUT_TOKENS - 1),
        weights=tuple(
            float(number(later("An attention weight"), weight, 0, 1)) for weight in value["weights"]
        ),
        layer=layer,
        head=head,
    )


def _is_list(value: object, most: int) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes) and len(value) <= most
