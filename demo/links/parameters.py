"""The parameters of a link: their names, by tab, and how each is checked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from demo.evaluation import evaluation_parts
from demo.i18n import later
from demo.inspect import inspect_views
from demo.labs import labs
from demo.operator.allowed import allowed
from demo.operator.caps import MAX_OUTPUT_TOKENS, MAX_SAMPLES
from demo.requests.checks import RequestError, check_choice, whole
from demo.requests.compare import MAX_ROWS
from demo.requests.options import told
from demo.views.trace.trace_card import cards
from models.errors import shown

MODES = ("strategies", "checkpoints", "inputs")  # of the Compare tab
DEFAULTS: dict[str, Any] = {name: each.default for name, each in allowed().items()}
SETTINGS = tuple(DEFAULTS)

MAX_LINK_CHARACTERS = 16_000  # of all names and values, decoded
TOO_LONG = "too_long"  # stands for what an address had too much of
MAX_PICTURE_IN_LINK = 4_000  # characters; a larger one must be sent along
MAX_FAULTS = 6  # told one by one
MAX_EDITS = 6
MAX_ID = 1_000_000  # of a token or a node
MAX_LOOK = 2_000  # characters of what is chosen in a view of Inspect

# What Gradio, Hugging Face, the Training tab and other sites put into addresses: none of our business.
FOREIGN = re.compile(r"__\w*|run|view|logs|deep_link|vscode\w*|utm_\w+|fbclid|gclid|ref|source")

Check = Callable[[str, str], Any]


def _count(low: int, high: int) -> Check:
    return lambda name, text: whole(name, as_number(text), low, high)


def _flag(name: str, text: str) -> bool:
    check_choice(name, text, ("true", "false"))
    return text == "true"


def _edits(name: str, text: str) -> list[list[int]]:
    """Prefixes of token ids: `12,5~12,9` are two edits. Raises RequestError."""
    edits = [edit.split(",") for edit in text.split("~")]
    if len(edits) > MAX_EDITS or any(len(edit) > MAX_OUTPUT_TOKENS for edit in edits):
        raise RequestError(
            "too_many_edits",
            "{name} must be at most {limit} edits of at most {tokens} token ids each.",
            name=name,
            limit=MAX_EDITS,
            tokens=MAX_OUTPUT_TOKENS,
        )
    token = later("A token of an edit")
    return [[whole(token, as_number(each), 0, MAX_ID) for each in edit] for edit in edits]


def choice(*allowed: str) -> Check:
    """A check for one of the allowed words."""

    def check(name: str, text: str) -> str:
        check_choice(name, text, allowed)
        return text

    return check


def _as_setting(setting: str) -> Check:
    """A check by what a setting may be, under the name of the parameter."""

    def check(name: str, text: str) -> Any:
        with told():
            return replace(allowed()[setting], name=name).checked(typed(setting, text))

    return check


def _column(name: str, text: str) -> str:
    if not re.fullmatch(r"-?[A-Za-z]{1,20}", text):
        raise RequestError(
            "not_a_sorting", "{name} must be the name of a column, with - before it to sort down.", name=name
        )
    return text


def _look(name: str, text: str) -> str:
    """A view of Inspect and what is chosen in it, `heads,kind:cross`; the view itself checks its values."""
    return _chosen_in(name, text, tuple(view.name for view in inspect_views()))


def _lab(name: str, text: str) -> str:
    """A lab and what is chosen in it, `ngrams,order:2`; the lab itself checks its values."""
    return _chosen_in(name, text, tuple(lab.name for lab in labs()))


def _part(name: str, text: str) -> str:
    """A part of an evaluation and what is chosen in it, `breakdowns,by:score`."""
    return _chosen_in(name, text, tuple(each.name for each in evaluation_parts()))


def _chosen_in(name: str, text: str, names: tuple[str, ...]) -> str:
    if len(text) > MAX_LOOK:
        raise RequestError(
            "look_too_long", "{name} must have at most {limit} characters.", name=name, limit=f"{MAX_LOOK:,}"
        )
    check_choice(name, text.partition(",")[0], names)
    return text


def _tabs(name: str, text: str) -> str:
    """Tabs that are open in their panes, with commas between."""
    tabs = {card.name for card in cards() if card.pane}
    for each in text.split(","):
        if each not in tabs:
            raise RequestError(
                "no_such_result_tab",
                "{name} names tabs of the result; there is no {value}.",
                name=name,
                value=shown(each),
            )
    return text


# How a decoding is looked at. All counts begin at 1, as on the page; the page itself says what it lacks.
VIEW: dict[str, Check] = {
    "forced": _edits,  # the prefixes of the reader's edits
    "version": _count(0, MAX_EDITS),  # the edit on show; 0 is the original
    "hypothesis": _count(1, MAX_SAMPLES),
    "node": _count(0, MAX_ID),  # end of a path that is no hypothesis
    "step": _count(1, MAX_OUTPUT_TOKENS),
    "layer": _count(1, 1000),
    "head": _count(1, 1000),
    "words": _flag,
    "strongest": _count(10, 100),  # percent of the attention
    "pruned": _flag,
    "cells": _flag,  # heatmap of a picture
    "rival": _count(0, MAX_ID),  # the token that was not written, by its id
    "open": _tabs,
    "inspect": _look,
    "rank_by": _as_setting("normalizer"),
    "rank_alpha": _as_setting("length_penalty"),
}
# How a comparison is looked at.
TABLE: dict[str, Check] = {
    "sort": _column,
    "pinned": _count(1, MAX_ROWS),
    "opened": _count(1, MAX_ROWS),
}
# What is open in the Learn tab, and in the Evaluate tab.
LEARN: dict[str, Check] = {"lab": _lab}
EVALUATE: dict[str, Check] = {"part": _part}
FORM = ("mode", "checkpoint", "other_checkpoint", "text", "other_text", "reference", "strategies")
# By tab, in the order in which a link names them; `tab` and `hide` belong to all.
PARAMETERS: dict[str, tuple[str, ...]] = {
    "decode": ("checkpoint", "text", *SETTINGS, *VIEW),
    "compare": (*FORM, *SETTINGS, *TABLE, *VIEW),
    "checkpoints": ("checkpoint", "section"),
    "training": (),
    "evaluate": ("checkpoint", "other_checkpoint", "strategies", *EVALUATE),
    "learn": tuple(LEARN),
}
KNOWN = tuple(dict.fromkeys(("tab", *(name for names in PARAMETERS.values() for name in names), "hide")))


def typed(name: str, text: str) -> Any:
    """The value of a setting as its type wants it, the text itself where it is none."""
    return text if allowed()[name].kind is str else as_number(text)


def as_number(text: str) -> int | float | str:
    """The number that a text spells, else the text itself, which the check of a number refuses."""
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() else value
