"""Discovery of what the modules of a package define, so that a new file needs no entry in a list."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def discover(package: str, kind: type[T]) -> list[T]:
    """Return the instances of `kind` that the modules of a package hold as variables, each once."""
    values = [value for module in import_modules(package) for value in vars(module).values()]
    return list({id(value): value for value in values if isinstance(value, kind)}.values())


def import_modules(package: str, submodule: str = "") -> list[ModuleType]:
    """Import the modules of a package, given by its dotted name, in alphabetical order.

    With `submodule`, import instead the module of that name in each subpackage that has one.
    """
    members = list(iter_modules(import_module(package).__path__))
    names = [f"{package}.{member.name}" for member in members]
    if submodule:
        names = [f"{package}.{member.name}.{submodule}" for member in members if member.ispkg]
    return [import_module(name) for name in names if not submodule or find_spec(name)]
