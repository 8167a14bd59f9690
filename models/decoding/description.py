"""What people and programs are told of a strategy. Numbers and strings only: knows no model and no page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

LAST = 1000  # position in any list of what names none


class Family(str, Enum):
    """What a strategy is after."""

    SEARCH = "search"  # the most probable output
    DRAW = "draw"  # outputs at random


@dataclass(frozen=True)
class Caption:
    """What a setting is called where it means something else than elsewhere."""

    label: str
    help: str


@dataclass(frozen=True)
class Preset:
    """Settings that a comparison offers ready to tick."""

    settings: Mapping[str, Any] = field(default_factory=dict)  # by the fields of DecodingOptions
    position: int = LAST  # among all presets
    ticked: bool = False  # when the page opens


@dataclass(frozen=True)
class Description:
    """All that is said of a strategy. Sentences are English; settings stand in braces.

    `details` stand beside the name in a table: each is a setting, of which its phrase is said, or a sentence
    with the phrases of settings in braces.
    """

    label: str  # on a button: "Diverse beam"
    sentence: str  # what it does
    family: Family
    short: str  # its name in a table, with the values of settings: "Beam {beam_size}"
    details: tuple[str, ...]
    title: str = ""  # in a list of names: "Diverse beam search"; empty: the label
    remark: str = ""  # a few words behind its name in the list that programs read
    settings: tuple[str, ...] = ()  # fields of DecodingOptions that it uses and not every strategy does
    main: tuple[str, ...] = ()  # of those, what makes it what it is: a short form asks for these alone
    fields: Mapping[str, str] = field(default_factory=dict)  # settings that its class has by another name
    captions: Mapping[str, Caption] = field(default_factory=dict)  # settings that mean something else here
    presets: tuple[Preset, ...] = ()
    position: int = LAST  # in a list of names
    form_position: int | None = None  # among the buttons of its family, if not the same
    slowness: int = 0  # of a comparison the rows of the slowest run last
    proof: str = ""  # what it has shown when it comes to its own end; empty: nothing
    ranking: str = ""  # what orders its outputs, if not their score
    order_sign: str = ""  # what stands for the number that it ranks by, if that is no log-probability

    @property
    def draws(self) -> bool:
        """Whether it looks for no most probable output."""
        return self.family is Family.DRAW

    @property
    def complete(self) -> bool:
        """Whether it can prove that nothing is more probable than what it found."""
        return bool(self.proof)

    def field_of(self, setting: str) -> str:
        """What the class of the strategy calls a setting."""
        return self.fields.get(setting, setting)

    def setting_of(self, field_name: str) -> str:
        """The setting that a field of the class holds: the inverse of `field_of`."""
        return next((setting for setting, name in self.fields.items() if name == field_name), field_name)
