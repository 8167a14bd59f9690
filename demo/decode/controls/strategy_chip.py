"""The strategy in words, on a chip that opens its settings."""

from __future__ import annotations

from typing import Any

import gradio as gr

from demo.decode.controls.strategy import StrategyControls
from demo.i18n import in_page
from demo.server.event_options import RAW_QUICK
from demo.widgets.captions.options import short_name, short_name_of
from demo.widgets.chip.component import Chip
from demo.work.operator.allowed_settings import allowed_settings
from demo.work.requests.checks import RequestError
from demo.work.requests.options import default_options

RAIL = "rail"
UNREADABLE = "?"


class StrategyChip(Chip):
    """The settings in a few words, such as “Beam 4, α 0”."""

    def __init__(self) -> None:
        label = short_name(default_options())
        super().__init__(label, called=in_page("Strategy"), rail=RAIL, elem_id="strategy-chip", render=False)

    def translated_props(self) -> dict[str, Any]:
        """The initial content, in the language of the request."""
        return {"value": short_name(default_options())}


def on_settings(controls: StrategyControls, *values: object) -> str:
    """The settings in words, with “?” in place of those that a decoding would refuse."""
    readable = {name: _readable(name, value) for name, value in zip(controls.widgets, values, strict=True)}
    return short_name_of(readable["strategy"], readable)


def _readable(name: str, value: object) -> Any:
    try:
        return allowed_settings()[name].checked_value(value, RequestError)
    except RequestError:
        return UNREADABLE


def wire_strategy_chip(chip: StrategyChip, controls: StrategyControls) -> None:
    """Update the words with every change of the settings."""

    def summarize(*values: object) -> str:
        return on_settings(controls, *values)

    widgets = controls.in_order()
    gr.on(
        [widget.change for widget in widgets],  # type: ignore[attr-defined]
        summarize,
        widgets,
        chip,
        trigger_mode="always_last",
        **RAW_QUICK,
    )
