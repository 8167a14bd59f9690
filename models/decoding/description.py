"""The description of a strategy for people and programs. Numbers and strings only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

LAST_POSITION = 1000  # the position of strategies and presets that state none


class Family(str, Enum):
    """The aim of a strategy."""

    SEARCH = "search"  # the most probable output
    DRAW = "draw"  # outputs at random


@dataclass(frozen=True)
class Caption:
    """The label and help of a setting that has another meaning in one strategy."""

    label: str
    help: str


@dataclass(frozen=True)
class StrategyPreset:
    """A choice of settings that a comparison offers."""

    settings: Mapping[str, Any] = field(default_factory=dict)  # values by the fields of DecodingOptions
    position: int = LAST_POSITION  # the position among all presets
    ticked: bool = False  # True: chosen when the page opens


@dataclass(frozen=True)
class Description:
    """The texts and settings of a strategy. Sentences are English, with settings in braces.

    `details` stand beside the name in a table: each is a setting, shown by its phrase, or a sentence with the
    phrases of settings in braces.
    """

    label: str  # the text of a button: "Diverse beam"
    sentence: str  # how it works
    family: Family
    short: str  # its name in a table, with the values of settings: "Beam {beam_size}"
    details: tuple[str, ...]
    title: str = ""  # the name in a list: "Diverse beam search"; empty: the label
    remark: str = ""  # a few words after its name in the list for programs
    settings: tuple[str, ...] = ()  # fields of DecodingOptions that it uses and some strategies do not
    main: tuple[str, ...] = ()  # the most important settings, for a short form
    fields: Mapping[str, str] = field(default_factory=dict)  # the field of each setting, if named otherwise
    captions: Mapping[str, Caption] = field(default_factory=dict)  # settings with another meaning here
    presets: tuple[StrategyPreset, ...] = ()
    position: int = LAST_POSITION  # the position in a list of names
    rare: bool = False  # True: a form hides its button until more strategies are asked for
    form_position: int | None = None  # the position among the buttons of its family, if it differs
    slowness: int = 0  # the slowest rows of a comparison run last
    proof: str = ""  # the statement that a complete search proves; empty: none
    ranking: str = ""  # a sentence about how its outputs are ranked, if not by score
    rank_symbol: str = ""  # the symbol of its rank score, if that is not a log-probability

    @property
    def draws(self) -> bool:
        """Whether it draws outputs at random."""
        return self.family is Family.DRAW

    @property
    def complete(self) -> bool:
        """Whether it can prove that no output is more probable than its first."""
        return bool(self.proof)

    def normalises(self, values: Mapping[str, Any]) -> bool:
        """Whether these values of settings rank finished outputs by another value than log-probability."""
        uses = "length_penalty" in self.settings
        return uses and values["normalizer"] != "none" and values["length_penalty"] != 0

    def field_of(self, setting: str) -> str:
        """The name of a setting in the class of the strategy."""
        return self.fields.get(setting, setting)

    def setting_of(self, field_name: str) -> str:
        """The setting that a field of the class holds: the inverse of `field_of`."""
        return next((setting for setting, name in self.fields.items() if name == field_name), field_name)
