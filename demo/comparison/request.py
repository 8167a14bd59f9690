"""What a visitor asks to compare, checked. Knows no Gradio, and loads no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from demo.checks import RequestError, check_name, check_short_text, check_text, shown
from demo.i18n import say
from demo.limits import MAX_CHARACTERS
from demo.strategy import StrategySettings

MAX_ROWS = 12
SETTINGS = tuple(field.name for field in fields(StrategySettings))


@dataclass(frozen=True)
class ComparisonRequest:
    """One text in several ways. Raises RequestError for any value that is not what it should be."""

    checkpoint: str
    text: str
    reference: str  # a translation by somebody else; empty if there is none
    strategies: tuple[StrategySettings, ...]

    def __post_init__(self) -> None:
        check_name(self.checkpoint)
        _check_source("text", self.text)
        check_short_text("reference", self.reference, MAX_CHARACTERS)
        if not self.strategies:
            raise RequestError(say("There is nothing to compare. Choose at least one strategy."))
        if len(self.strategies) > MAX_ROWS:
            raise RequestError(
                say(
                    "{count} strategies are too many at once; the limit is {limit}.",
                    count=len(self.strategies),
                    limit=MAX_ROWS,
                )
            )


@dataclass(frozen=True)
class Side:
    """One half of a pair."""

    checkpoint: str
    text: str

    def __post_init__(self) -> None:
        check_name(self.checkpoint)
        _check_source("text", self.text)


@dataclass(frozen=True)
class PairRequest:
    """Two decodings by one strategy."""

    left: Side
    right: Side
    settings: StrategySettings


def comparison_request(
    checkpoint: object,
    text: object,
    reference: object,
    strategies: object,
    max_length: int = StrategySettings.max_length,
) -> ComparisonRequest:
    """A request from the values of the page's widgets. Raises RequestError.

    `max_length` is for strategies that say nothing of it, in tokens.
    """
    chosen = strategies if isinstance(strategies, list) else [strategies] if strategies else []
    if len(chosen) > MAX_ROWS:
        raise RequestError(
            say(
                "{count} strategies are too many at once; the limit is {limit}.",
                count=f"{len(chosen):,}",
                limit=MAX_ROWS,
            )
        )
    return ComparisonRequest(
        checkpoint,  # type: ignore[arg-type]
        text,  # type: ignore[arg-type]
        reference.strip() if isinstance(reference, str) else reference or "",  # type: ignore[arg-type]
        tuple(strategy_settings(item, max_length) for item in chosen),
    )


def strategy_settings(values: object, max_length: int = StrategySettings.max_length) -> StrategySettings:
    """Settings by their names, those left out being the default ones. Raises RequestError."""
    if not isinstance(values, Mapping):
        raise RequestError(
            say("A strategy must be an object with its settings; got {value}.", value=shown(values))
        )
    unknown = [name for name in values if name not in SETTINGS]
    if unknown:
        raise RequestError(
            say(
                "There is no setting {name}; there are: {settings}.",
                name=shown(unknown[0]),
                settings=", ".join(SETTINGS),
            )
        )
    return StrategySettings(**{"max_length": max_length, **values})


def _check_source(name: str, text: object) -> None:
    check_text(text)
    if not str(text).strip():
        raise RequestError(say("There is no {name} to decode. Type a sentence first.", name=say(name)))
