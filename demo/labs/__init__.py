"""Labs of the course, one file each: whatever file of this folder holds a `LAB` is offered everywhere."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from demo.labs.lab import Lab


@cache
def labs() -> tuple[Lab, ...]:
    """All of them, in the order of their places."""
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    found = [module.LAB for module in modules if hasattr(module, "LAB")]
    return tuple(sorted(found, key=lambda lab: lab.place))
