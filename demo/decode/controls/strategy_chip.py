"""The strategy in words, on a chip that opens its settings."""

from __future__ import annotations

from typing import Any

import gradio as gr

from demo.i18n import in_page
from demo.server.events import RAW_QUICK
from demo.widgets.captions.options import short_name, short_name_of
from demo.widgets.chip.component import Chip
from demo.widgets.form.choices import in_languages
from demo.work.operator.caps import allowed_settings
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import default_options

RAIL = "rail"
UNREADABLE = "?"


def strategy_chip() -> Chip:
    """The settings in a few words, such as “Beam 4, α 0”; unrendered."""

    def words() -> dict[str, str]:
        return {"value": short_name(default_options())}

    chip = Chip(**words(), called=in_page("Strategy"), rail=RAIL, elem_id="strategy-chip", render=False)
    return in_languages(chip, words)


def on_settings(*values: object) -> str:
    """The settings in words, with “?” in place of those that a decoding would refuse."""
    readable = {name: _readable(name, value) for name, value in zip(allowed_settings(), values, strict=True)}
    return short_name_of(readable["strategy"], readable)


def _readable(name: str, value: object) -> Any:
    try:
        return allowed_settings()[name].checked_value(value, RequestError)
    except RequestError:
        return UNREADABLE


def wire_strategy_chip(chip: Chip, widgets: list[Any]) -> None:
    """Update the words with every change of the settings."""
    changes = [widget.change for widget in widgets]
    gr.on(changes, on_settings, widgets, chip, trigger_mode="always_last", **RAW_QUICK)
