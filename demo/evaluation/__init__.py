"""Parts of an evaluation, one file each: whatever file here holds a `PART` is offered everywhere."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from demo.evaluation.part import EvaluationPart


@cache
def evaluation_parts() -> tuple[EvaluationPart, ...]:
    """All of them, in the order of their places."""
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    found = [module.PART for module in modules if hasattr(module, "PART")]
    return tuple(sorted(found, key=lambda part: part.place))
