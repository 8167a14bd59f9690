"""Methods of attribution: whatever file of this folder describes some is offered everywhere."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from models.inspection.methods.method import Method


def _found() -> dict[str, Method]:
    """By name, in the order of their places."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    found = [value for module in modules for value in vars(module).values() if isinstance(value, Method)]
    return {method.name: method for method in sorted(found, key=lambda method: method.place)}


METHODS = _found()
