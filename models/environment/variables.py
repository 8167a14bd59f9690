"""Environment variables as fields of settings classes. Each is declared where it is used.

The field alone holds the name, the values, the default and the meaning of its variable.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar

from models.environment.kinds import Kind
from models.errors import UnrolledError

_METADATA_KEY = "variable"

Settings = TypeVar("Settings")


class SettingError(UnrolledError, ValueError):
    """An environment variable that cannot be read; the message has its name, allowed values, and value."""


@dataclass(frozen=True)
class Variable:
    """An environment variable."""

    name: str
    kind: Kind
    meaning: str  # the meaning in the table of a guide
    default_text: str = ""  # its default in that table, where it differs between machines

    def read(self, environ: Mapping[str, str]) -> Any:
        """The value of the variable, None where it is empty or absent. Raises SettingError."""
        text = environ.get(self.name, "").strip()
        if not text:
            return None
        try:
            return self.kind.parse(text)
        except ValueError as error:
            raise SettingError(self.kind.wrong(self.name, str(error))) from None

    def row(self, default: Any) -> str:
        """The row of the variable in the table."""
        text = self.default_text or self.kind.describe(default)
        return f"| `{self.name}` | {self.kind.allowed} | {text} | {self.meaning} |"


def variable(
    name: str,
    kind: Kind,
    meaning: str,
    default: object = MISSING,
    *,
    make: object = MISSING,
    default_text: str = "",
) -> Any:
    """A field of a settings class that is read from a variable.

    Its default is `default`, or the result of `make`; `default_text` says it in words where it differs
    between machines.
    """
    metadata = {_METADATA_KEY: Variable(name, kind, meaning, default_text)}
    return field(metadata=metadata, default=default, default_factory=make)  # type: ignore[call-overload]


def variables(settings: type[Any]) -> Iterator[tuple[str, Variable, Any]]:
    """Each field of a class that has a variable: its name, the variable, its default on this machine."""
    for item in fields(settings):
        if _METADATA_KEY in item.metadata:
            default = item.default if item.default_factory is MISSING else item.default_factory()
            yield item.name, item.metadata[_METADATA_KEY], default


def read(settings: type[Settings], environ: Mapping[str, str] = os.environ, **flags: str) -> Settings:
    """A settings class as the environment has it; a variable that is empty or absent keeps its default.

    `flags` of a command line, by the names of their variables, override the environment.

    Raises SettingError, so that a typing error stops the program and does not lift a cap.
    """
    result = {name: item.read({**environ, **flags}) for name, item, _ in variables(settings)}
    return settings(**{name: value for name, value in result.items() if value is not None})


def table(*owners: type[Any]) -> str:
    """All variables of some settings classes as a table in Markdown."""
    rows = [item.row(default) for owner in owners for _, item, default in variables(owner)]
    return "\n".join(["| variable | values | default | meaning |", "|---|---|---|---|", *rows])
