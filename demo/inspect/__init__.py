"""Views of Inspect, one file each: whatever file of this folder holds a `VIEW` is offered everywhere."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from demo.inspect.view import InspectView


@cache
def inspect_views() -> tuple[InspectView, ...]:
    """All of them, in the order of their places."""
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    found = [module.VIEW for module in modules if hasattr(module, "VIEW")]
    return tuple(sorted(found, key=lambda view: view.place))
