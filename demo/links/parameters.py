"""The parameters of a link: their names, by tab, and how each is checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from demo.evaluate.parts import evaluation_parts
from demo.evaluate.work.request import DEFAULT_CHANGED, EXAMPLE, FILE, MAX_CHANGED, PASTE
from demo.i18n import later
from demo.inspect import inspect_views
from demo.labs import labs
from demo.links.hiding import PRESETS, parts
from demo.trace.trace_card import cards
from demo.work.operator.caps import MAX_OUTPUT_TOKENS, MAX_SAMPLES, allowed_settings
from demo.work.requests.checks import RequestError, check_choice, check_short_text, whole
from demo.work.requests.compare import MAX_ROWS
from demo.work.requests.decode import as_request_error
from models.errors import brief
from models.training.runs.request import RUN_ID

MODES = ("strategies", "checkpoints", "inputs")  # modes of the Compare tab
DEFAULTS: dict[str, Any] = {name: setting.default for name, setting in allowed_settings().items()}
SETTINGS = tuple(DEFAULTS)
# A link leaves out what has its default: settings, and fields of Evaluate.
LEFT_OUT = {**DEFAULTS, "kind": EXAMPLE, "changes": DEFAULT_CHANGED}
del LEFT_OUT["max_length"]  # a checkpoint has its own

MAX_LINK_CHARACTERS = 16_000  # the most characters of all names and values, decoded
TOO_LONG = "too_long"  # the parameter that replaces what was cut from an address
MAX_PICTURE_IN_LINK = 4_000  # characters; a larger one must be sent along
MAX_PASTED_IN_LINK = 8_000  # bytes of the address
MAX_FAULTS = 6  # described one by one
MAX_EDITS = 6
MAX_ID = 1_000_000  # the largest id of a token or a node
MAX_STOP_CHARACTERS = 80
MAX_VIEW_CHARACTERS = 2_000  # characters of a view of Inspect with its options

# Parameters of Gradio, Hugging Face, the Training tab and other sites, which links ignore.
FOREIGN_PARAMETER = re.compile(r"__\w*|run|view|logs|deep_link|vscode\w*|utm_\w+|fbclid|gclid|ref|source")

Check = Callable[[str, str], Any]


def _count(low: int, high: int) -> Check:
    return lambda name, text: whole(name, as_number(text), low, high)


def _flag(name: str, text: str) -> bool:
    check_choice(name, text, ("true", "false"))
    return text == "true"


def _edits(name: str, text: str) -> list[list[int]]:
    """Parse prefixes of token ids: `12,5~12,9` are two edits. Raises RequestError."""
    edits = [edit.split(",") for edit in text.split("~")]
    if len(edits) > MAX_EDITS or any(len(edit) > MAX_OUTPUT_TOKENS for edit in edits):
        raise RequestError(
            "too_many_edits",
            "{name} must be at most {limit} edits of at most {tokens} token ids each.",
            name=name,
            limit=MAX_EDITS,
            tokens=MAX_OUTPUT_TOKENS,
        )
    described_as = later("A token of an edit")
    return [[whole(described_as, as_number(token_id), 0, MAX_ID) for token_id in edit] for edit in edits]


def _passing(check: Callable[[str, str, Any], None], limit: Any) -> Check:
    """A check that leaves the text as it is."""

    def check_and_return(name: str, text: str) -> str:
        check(name, text, limit)
        return text

    return check_and_return


def choice(*allowed: str) -> Check:
    """A check that accepts the allowed words only."""
    return _passing(check_choice, allowed)


def short_text(limit: int) -> Check:
    """A check that accepts texts of at most `limit` characters."""
    return _passing(check_short_text, limit)


def _as_setting(setting: str) -> Check:
    """The check of a setting, with the parameter's name in its errors."""

    def check(name: str, text: str) -> Any:
        with as_request_error():
            return replace(allowed_settings()[setting], name=name).checked_value(convert(setting, text))

    return check


def _column(name: str, text: str) -> str:
    if not re.fullmatch(r"-?[A-Za-z]{1,20}", text):
        raise RequestError(
            "not_a_sorting", "{name} must be the name of a column, with - before it to sort down.", name=name
        )
    return text


def _one_with_options(registered: Callable[[], Iterable[Any]]) -> Check:
    """A check for one of the registered views with its options, `heads,kind:cross`; the view checks them."""

    def check(name: str, text: str) -> str:
        if len(text) > MAX_VIEW_CHARACTERS:
            raise RequestError(
                "look_too_long",
                "{name} must have at most {limit} characters.",
                name=name,
                limit=f"{MAX_VIEW_CHARACTERS:,}",
            )
        check_choice(name, text.partition(",")[0], [view.name for view in registered()])
        return text

    return check


def _tabs(name: str, text: str) -> str:
    """The tabs that are open in their panes, separated by commas."""
    tabs = {card.name for card in cards() if card.pane}
    for tab in text.split(","):
        if tab not in tabs:
            raise RequestError(
                "no_such_result_tab",
                "{name} names tabs of the result; there is no {value}.",
                name=name,
                value=brief(tab),
            )
    return text


# Parameters that show a decoding. Counts begin at 1, as on the page; the browser ignores what a result lacks.
VIEW: dict[str, Check] = {
    "forced": _edits,  # the prefixes of the reader's edits
    "version": _count(0, MAX_EDITS),  # the edit to show; 0 is the original
    "hypothesis": _count(1, MAX_SAMPLES),
    "node": _count(0, MAX_ID),  # the end of a path that is not a hypothesis
    "step": _count(1, MAX_OUTPUT_TOKENS),
    "layer": _count(1, 1000),
    "head": _count(1, 1000),
    "words": _flag,
    "strongest": _count(10, 100),  # percent of the attention
    "pruned": _flag,
    "cells": _flag,  # heatmap of a picture
    "rival": _count(0, MAX_ID),  # the id of the token that was not chosen
    "open": _tabs,
    "line": _count(1, 50_000),  # among the executed lines of the listing
    "until": short_text(MAX_STOP_CHARACTERS),  # where the listing stops: `lost:sea`
    "inspect": _one_with_options(inspect_views),
    "rank_by": _as_setting("normalizer"),
    "rank_alpha": _as_setting("length_penalty"),
}
# Parameters for showing a comparison.
TABLE: dict[str, Check] = {"sort": _column, "pinned": _count(1, MAX_ROWS), "opened": _count(1, MAX_ROWS)}
# The open lab of the Learn tab; the test set and the open part of the Evaluate tab.
LEARN: dict[str, Check] = {"lab": _one_with_options(labs)}
EVALUATE: dict[str, Check] = {
    "kind": choice(EXAMPLE, FILE, PASTE),
    "pasted": short_text(MAX_LINK_CHARACTERS),
    "changes": _count(0, MAX_CHANGED),
    "part": _one_with_options(evaluation_parts),
}
FORM = ("mode", "checkpoint", "other_checkpoint", "text", "other_text", "reference", "strategies")
# The parameters of each tab, in the order in which a link names them; `tab` and `hide` belong to all.
PARAMETERS: dict[str, tuple[str, ...]] = {
    "decode": ("checkpoint", "text", *SETTINGS, *VIEW),
    "compare": (*FORM, *SETTINGS, *TABLE, *VIEW),
    "checkpoints": ("checkpoint", "section"),
    "training": ("form",),
    "evaluate": ("checkpoint", "other_checkpoint", "strategies", *EVALUATE),
    "learn": tuple(LEARN),
}
ALL_NAMES = tuple(dict.fromkeys(("tab", *(name for names in PARAMETERS.values() for name in names), "hide")))


def convert(name: str, text: str) -> Any:
    """Convert the text to the type of the setting; leave the text as it is if that fails."""
    return text if allowed_settings()[name].kind is str else as_number(text)


def as_number(text: str) -> int | float | str:
    """The number in a text; otherwise the text, which the check of a number will refuse."""
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() else value


def page_config() -> dict[str, Any]:
    """The configuration of links.js: names, defaults and limits."""
    return {
        "parameters": PARAMETERS,
        "defaults": {name: value for name, value in DEFAULTS.items() if name != "max_length"},
        "parts": {name: [part.label, part.tabs] for name, part in parts().items()},
        "presets": {
            tab: [[preset.label, preset.hidden_on(tab)] for preset in PRESETS.values() if tab in preset.tabs]
            for tab in PARAMETERS
        },
        "leftOut": LEFT_OUT,
        "mostPicture": MAX_PICTURE_IN_LINK,
        "mostPasted": MAX_PASTED_IN_LINK,
        "mostEdits": MAX_EDITS,
        "runName": RUN_ID.pattern,
    }
