"""Environment variables as fields of settings classes, and the folders of a person's files.

Each variable is declared where it is used: the field alone holds its name, values, default and meaning.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, MISSING, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from models.errors import Message, UnrolledError, brief, not_one_of
from models.setting import Setting, setting, settings_of

HOSTS = "names of hosts, such as example.org, with commas"
HOST_PATTERN = r"[a-z0-9]([a-z0-9.-]{0,250}[a-z0-9])?"

_BOOLEANS = {
    **dict.fromkeys(("on", "1", "true", "yes"), True),
    **dict.fromkeys(("off", "0", "false", "no"), False),
}
_SIZES = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"))
_MAX_DIGITS = 18  # digits of a number; a longer one is a typing error

Settings = TypeVar("Settings")


class SettingError(UnrolledError, ValueError):
    """An environment variable that cannot be read; the message has its name, allowed values, and value."""


@dataclass(frozen=True)
class Variable(Setting):
    """A setting that an environment variable holds; its `help` is the meaning in the table of a guide."""

    _: KW_ONLY
    variable: str = ""
    zero: str = ""  # the meaning of 0 if it has a special one: "no cap"
    always: str = ""  # a word that is always in the list
    sort: str = ""  # the sort of a text, with its article: "a folder"
    pattern: str = ".*"  # a regular expression for a whole text of that sort
    default_text: str = ""  # the default in the table, where it differs between machines

    def read(self, environ: Mapping[str, str]) -> Any:
        """The value of the variable, None where it is empty or absent. Raises SettingError."""
        text = environ.get(self.variable, "").strip()
        if not text:
            return None
        value = self._value(text)
        if self.problem(value) is not None:
            raise SettingError(self.problem(text, self.variable) or "")
        return value

    def problem(self, value: object, name: str = "") -> Message | None:
        if self.kind is bool and not isinstance(value, bool):
            return not_one_of(name, ("on", "off"), value)
        if not self.sort:
            return super().problem(value, name)
        parts = value if isinstance(value, tuple) else (value,)
        if isinstance(value, self.kind) and all(re.fullmatch(self.pattern, str(part)) for part in parts):
            return None
        return Message(
            "not_of_its_sort",
            "{name} must be {sort}; got {value}",
            name=name,
            sort=self.sort,
            value=brief(value),
        )

    def _value(self, text: str) -> Any:
        """The value of a text that is not empty; the text itself if it cannot be one."""
        if self.kind is bool:
            return _BOOLEANS.get(text.lower(), text)
        if self.kind is int:
            digits = text.replace("_", "")
            return int(digits) if re.fullmatch(f"[0-9]{{1,{_MAX_DIGITS}}}", digits) else text
        if self.kind is tuple:
            return self._list([part for item in text.lower().split(",") if (part := item.strip())])
        if self.kind is not str:
            try:
                return Path(text).expanduser().absolute()
            except RuntimeError:  # "~nobody/runs"
                return text
        return text.lower() if self.choices else text.rstrip("/")

    def _list(self, parts: list[str]) -> tuple[str, ...]:
        """The parts of a list, in the order of the words if there are any; without parts the default."""
        if not parts:
            return tuple(self.default)
        if not self.choices or not set(parts) <= set(self.words):
            return tuple(parts)
        return tuple(word for word in self.words if word in parts or word == self.always)

    def row(self) -> str:
        """The row of the variable in the table."""
        default = self.default_text or self._default()
        return f"| `{self.variable}` | {self._values()} | {default} | {self.help} |"

    def _values(self) -> str:
        if self.sort:
            return self.sort
        if self.kind is bool:
            return "`on`, `off`"
        if self.choices:
            return (
                f"some of {_as_code(self.words)}, with commas" if self.kind is tuple else _as_code(self.words)
            )
        return (
            "whole number" if self.high is None else f"{self._number(self.low)} to {self._number(self.high)}"
        )

    def _default(self) -> str:
        if self.kind is bool:
            return "`on`" if self.default else "`off`"
        if self.kind is int:
            number = self._number(self.default) if self.default or not self.zero else "0"
            return f"{number}{'; 0' if self.default else ''}, {self.zero}" if self.zero else number
        if self.kind is tuple:
            return "all" if self.choices and self.default == self.words else _as_code(self.default) or "none"
        return f"`{self.default}`" if self.default else "none"

    def _number(self, value: Any) -> str:
        """A number; one of bytes in the largest unit that divides it."""
        sizes = _SIZES if self.unit == "bytes" and value else ()
        return next((f"{value // size:,} {unit}" for size, unit in sizes if value % size == 0), f"{value:,}")


def variable(
    name: str,
    meaning: str,
    default: object = MISSING,
    *,
    make: object = MISSING,
    bounds: tuple[int, int | None] = (0, None),
    **properties: Any,
) -> Any:
    """A field of a settings class that is read from a variable; `properties` are those of a `Variable`.

    Its default is `default`, or the result of `make`. `bounds`: low, high.
    """
    declared = Variable("", meaning, *bounds, variable=name, **properties)
    return setting(default, declared, default_factory=make)


def read(settings: type[Settings], environ: Mapping[str, str] = os.environ, **flags: str) -> Settings:
    """A settings class as the environment has it; a variable that is empty or absent keeps its default.

    `flags` of a command line, by the names of their variables, override the environment.

    Raises SettingError, so that a typing error stops the program and does not lift a cap.
    """
    owner: Any = settings
    result = {name: item.read({**environ, **flags}) for name, item in settings_of(owner).items()}
    return settings(**{name: value for name, value in result.items() if value is not None})


def table(*owners: Any) -> str:
    """All variables of some settings classes as a table in Markdown."""
    rows = [item.row() for owner in owners for item in settings_of(owner).values()]
    return "\n".join(["| variable | values | default | meaning |", "|---|---|---|---|", *rows])


def _as_code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def data_folder(name: str) -> Path:
    """The system's folder for data of a person: ~/.local/share/unrolled/NAME or the like."""
    import platformdirs

    return platformdirs.user_data_path("unrolled", appauthor=False) / name


def cache_folder(name: str) -> Path:
    """The system's folder for files that can be fetched again: ~/.cache/unrolled/NAME or the like."""
    import platformdirs

    return platformdirs.user_cache_path("unrolled", appauthor=False, opinion=False) / name


def cache_variable(name: str, folder: str, meaning: str) -> Any:
    """A field of a settings class: the path of a `cache_folder`, unless the variable names another one."""
    default_text = f"`~/.cache/unrolled/{folder}` or its like"
    return variable(
        name, meaning, make=partial(cache_folder, folder), sort="a folder", default_text=default_text
    )


def on_space() -> bool:
    """Whether the program runs on a Space of the Hugging Face Hub: public, and behind a proxy."""
    return bool(os.environ.get("SPACE_ID"))


def space_host() -> str:
    """The name under which people see this Space, outside of the Hub's own page; "" elsewhere."""
    return os.environ.get("SPACE_HOST", "").strip().lower()
