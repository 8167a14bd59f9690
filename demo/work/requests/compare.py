"""A request for a comparison, checked. Imports neither Gradio nor torch."""

from __future__ import annotations

from dataclasses import dataclass

from demo.i18n import say
from demo.work.operator.caps import MAX_CHARACTERS
from demo.work.requests.checks import RequestError, check_name, check_short_text, check_text
from demo.work.requests.decode import decoding_options
from models.decoding.options import DecodingOptions
from models.tokenization.plain_text import plain_text

MAX_ROWS = 12


@dataclass(frozen=True)
class ComparisonRequest:
    """One text by several strategies. Raises RequestError for any invalid value."""

    checkpoint: str
    text: str
    reference: str  # a translation by somebody else; empty if there is none
    strategies: tuple[DecodingOptions, ...]

    def __post_init__(self) -> None:
        check_name(self.checkpoint)
        _check_source(self.text)
        check_short_text("reference", self.reference, MAX_CHARACTERS)
        if not self.strategies:
            raise RequestError(
                "no_strategy_to_compare", "There is nothing to compare. Choose at least one strategy."
            )
        _check_rows(len(self.strategies))


@dataclass(frozen=True)
class Side:
    """One half of a pair."""

    checkpoint: str
    text: str

    def __post_init__(self) -> None:
        check_name(self.checkpoint)
        _check_source(self.text)


def comparison_request(
    checkpoint: object, text: object, reference: object, strategies: object, max_length: int | None = None
) -> ComparisonRequest:
    """A request from the values of the page's widgets. Raises RequestError.

    `max_length`, in tokens, is for strategies that do not set it.
    """
    settings_list = strategies if isinstance(strategies, list) else [strategies] if strategies else []
    _check_rows(len(settings_list))
    return ComparisonRequest(
        checkpoint,  # type: ignore[arg-type]
        text,  # type: ignore[arg-type]
        reference.strip() if isinstance(reference, str) else reference or "",  # type: ignore[arg-type]
        tuple(decoding_options(item, max_length) for item in settings_list),
    )


def _check_source(text: object) -> None:
    check_text(text)
    if not plain_text(str(text)):
        raise RequestError(
            "nothing_to_decode", "There is no {name} to decode. Type a sentence first.", name=say("text")
        )


def _check_rows(count: int) -> None:
    if count > MAX_ROWS:
        raise RequestError(
            "too_many_strategies",
            "{count} strategies are too many at once; the limit is {limit}.",
            count=f"{count:,}",
            limit=MAX_ROWS,
        )
