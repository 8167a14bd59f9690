"""Parts of an evaluation, one file each: every file of this folder that holds a `PART` is offered."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from demo.evaluation.part import EvaluationPart


@cache
def evaluation_parts() -> tuple[EvaluationPart, ...]:
    """All parts in the order of `place`."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    parts = [module.PART for module in modules if hasattr(module, "PART")]
    return tuple(sorted(parts, key=lambda part: part.place))
