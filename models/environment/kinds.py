"""The kinds of environment variables: how each is read, and the sentence that refuses other values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from models.errors import Message, brief, not_a_text, not_one_of, not_whole, not_whole_within

_ON, _OFF = ("on", "1", "true", "yes"), ("off", "0", "false", "no")
_SIZES = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"))
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?")
_PATH = re.compile(r"(https?://[\w.:\[\]-]+)?(/[\w.~-]+)*/?", re.ASCII)
_MAX_DIGITS = 18  # digits of a number; a longer one is a typing error


class Kind(Protocol):
    """The kind of values that a variable has."""

    @property
    def allowed(self) -> str:
        """The allowed values in the table of a guide."""

    def parse(self, text: str) -> Any:
        """The value of a text that is not empty. Raises ValueError with the unreadable part."""

    def wrong(self, name: str, value: str) -> Message:
        """The sentence that refuses a value of the variable `name`."""

    def describe(self, value: Any) -> str:
        """A default in the table of a guide."""


@dataclass(frozen=True)
class Whole:
    """A whole number, which may be written with underscores."""

    low: int = 0
    high: int | None = None
    zero: str = ""  # the meaning of 0 if it has a special one: "no cap"

    @property
    def allowed(self) -> str:
        return "whole number" if self.high is None else f"{self.number(self.low)} to {self.number(self.high)}"

    def parse(self, text: str) -> int:
        digits = text.replace("_", "")
        if not (digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS):
            raise ValueError(text)
        if int(digits) < self.low or (self.high is not None and int(digits) > self.high):
            raise ValueError(text)
        return int(digits)

    def wrong(self, name: str, value: str) -> Message:
        if self.high is None:
            return not_whole(name, f"{self.low:,}", value)
        return not_whole_within(name, f"{self.low:,}", f"{self.high:,}", value)

    def describe(self, value: int) -> str:
        if not self.zero:
            return self.number(value)
        return f"{self.number(value)}; 0, {self.zero}" if value else f"0, {self.zero}"

    def number(self, value: int) -> str:
        """One of these numbers in words."""
        return f"{value:,}"


@dataclass(frozen=True)
class Bytes(Whole):
    """A number of bytes."""

    def number(self, value: int) -> str:
        """The number in the largest unit that divides it."""
        fitting = (f"{value // size:,} {unit}" for size, unit in _SIZES if value and value % size == 0)
        return next(fitting, f"{value:,}")


@dataclass(frozen=True)
class Switch:
    """A switch: on or off."""

    allowed = "`on`, `off`"

    def parse(self, text: str) -> bool:
        if text.lower() not in _ON + _OFF:
            raise ValueError(text)
        return text.lower() in _ON

    def wrong(self, name: str, value: str) -> Message:
        return Message(
            "not_on_or_off", "{name} must be on or off; got {value}", name=name, value=brief(value)
        )

    def describe(self, value: bool) -> str:
        return "`on`" if value else "`off`"


@dataclass(frozen=True)
class OneOf:
    """One of some words."""

    words: tuple[str, ...]

    @property
    def allowed(self) -> str:
        return ", ".join(f"`{word}`" for word in self.words)

    def parse(self, text: str) -> str:
        if text.lower() not in self.words:
            raise ValueError(text)
        return text.lower()

    def wrong(self, name: str, value: str) -> Message:
        return not_one_of(name, self.words, value)

    def describe(self, value: str) -> str:
        return f"`{value}`"


@dataclass(frozen=True)
class SomeOf:
    """Some of a few words, with commas, in the order that they have here; `always` is always one of them."""

    words: tuple[str, ...]
    always: str = ""

    @property
    def allowed(self) -> str:
        return f"some of {', '.join(f'`{word}`' for word in self.words)}, with commas"

    def parse(self, text: str) -> tuple[str, ...]:
        names = {word.strip().lower() for word in text.split(",")} - {""}
        unknown = sorted(names - set(self.words))
        if unknown:
            raise ValueError(unknown[0])
        if not names:
            return self.words
        return tuple(word for word in self.words if word in names or word == self.always)

    def wrong(self, name: str, value: str) -> Message:
        return Message(
            "not_some_of",
            "{name} must name some of {allowed}; got {value}",
            name=name,
            allowed=", ".join(self.words),
            value=brief(value),
        )

    def describe(self, value: tuple[str, ...]) -> str:
        return "all" if value == self.words else ", ".join(f"`{word}`" for word in value)


@dataclass(frozen=True)
class Hosts:
    """Names of hosts, with commas."""

    allowed = "names, with commas"

    def parse(self, text: str) -> tuple[str, ...]:
        names = tuple(name.strip().lower() for name in text.split(",") if name.strip())
        if not all(map(_HOST.fullmatch, names)):
            raise ValueError(text)
        return names

    def wrong(self, name: str, value: str) -> Message:
        return Message(
            "no_hosts",
            "{name} must be names of hosts, such as example.org, with commas; got {value}",
            name=name,
            value=brief(value),
        )

    def describe(self, value: tuple[str, ...]) -> str:
        return ", ".join(f"`{name}`" for name in value) or "none"


@dataclass(frozen=True)
class PathInFront:
    """The path in an address before that of a page: `/unrolled`, or the whole address up to there."""

    allowed = "path"

    def parse(self, text: str) -> str:
        if not _PATH.fullmatch(text):
            raise ValueError(text)
        return text.rstrip("/")

    def wrong(self, name: str, value: str) -> Message:
        return Message(
            "no_path_in_front",
            "{name} must be a path, such as /unrolled; got {value}",
            name=name,
            value=brief(value),
        )

    def describe(self, value: str) -> str:
        return f"`{value}`" if value else "none"


@dataclass(frozen=True)
class Folder:
    """A folder, which need not exist yet."""

    allowed = "folder"

    def parse(self, text: str) -> Path:
        try:
            return Path(text).expanduser().absolute()
        except RuntimeError as error:  # "~nobody/runs"
            raise ValueError(text) from error

    def wrong(self, name: str, value: str) -> Message:
        return Message("no_folder", "{name} must be a folder; got {value}", name=name, value=brief(value))

    def describe(self, value: Path) -> str:
        return f"`{value}`"


@dataclass(frozen=True)
class Text:
    """Any text; `allowed` names its sort: "URL"."""

    allowed: str

    def parse(self, text: str) -> str:
        return text

    def wrong(self, name: str, value: str) -> Message:
        return not_a_text(name, value)

    def describe(self, value: str) -> str:
        return f"`{value}`" if value else "none"
