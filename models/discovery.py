"""Discovery of what the modules of a package define, so that a new file needs no entry in a list."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules, walk_packages
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def discover(package: str, kind: type[T]) -> list[T]:
    """Return the instances of `kind` that the modules in and below a package hold as variables, each once."""
    values = [value for module in import_modules(package) for value in vars(module).values()]
    return list({id(value): value for value in values if isinstance(value, kind)}.values())


def import_modules(package: str, submodule: str = "") -> list[ModuleType]:
    """Import the modules in and below a package, given by its dotted name, in alphabetical order.

    With `submodule`, import instead the module of that name in each direct subpackage that has one.
    """
    path, prefix = import_module(package).__path__, f"{package}."
    if not submodule:
        return [import_module(member.name) for member in walk_packages(path, prefix)]
    names = [f"{member.name}.{submodule}" for member in iter_modules(path, prefix) if member.ispkg]
    return [import_module(name) for name in names if find_spec(name)]
