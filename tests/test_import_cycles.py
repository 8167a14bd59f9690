"""The project has no import cycles, neither by imports inside functions nor by imports for types."""

from __future__ import annotations

from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.source_modules import Module, sources


def imported(modules: Iterable[Module]) -> dict[str, set[str]]:
    """Return the project's modules that each module imports, without the packages that contain it."""
    named = {module.name: module for module in modules}
    imports: dict[str, set[str]] = {}
    for name, module in named.items():
        targets = set()
        for target in module.imports():
            while target and target not in named:
                target = target.rpartition(".")[0]
            if target and not f"{name}.".startswith(f"{target}."):
                targets.add(target)
        imports[name] = targets
    return imports


@pytest.mark.slow
def test_no_modules_import_each_other() -> None:
    try:
        TopologicalSorter(imported(sources("models", "demo"))).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_a_cycle_is_noticed() -> None:
    modules = [
        Module("models.a", "from models.b import x"),
        Module("models.b", "def f():\n    from models.c import y"),
        Module("models.c", "if TYPE_CHECKING:\n    from models import a"),
    ]
    with pytest.raises(CycleError):
        TopologicalSorter(imported(modules)).prepare()
