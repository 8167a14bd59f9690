"""Changes of a source text: whatever file of this folder describes some is offered everywhere.

Loads no torch. What the changes do to a checkpoint's outputs is measured by `models.evaluation.damage`.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from models.evaluation.counterfactuals.counterfactual import Counterfactual


def _found() -> dict[str, Counterfactual]:
    """By name, in the order of their places."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    found = [value for module in modules for value in vars(module).values()]
    generators = [value for value in found if isinstance(value, Counterfactual)]
    return {each.name: each for each in sorted(generators, key=lambda each: each.place)}


COUNTERFACTUALS = _found()
