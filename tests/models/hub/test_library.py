"""Everything that the project names of huggingface_hub exists in the version that is installed.

`requirements.txt` allows every minor version. A constant that was renamed would raise nothing when it is set.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator

from tests.source_modules import Module, sources

LIBRARY = "huggingface_hub"


def names_used(module: Module) -> Iterator[str]:
    """Dotted names: imported from the library, read or set on a module that was imported from it."""
    if LIBRARY not in module.text:  # most files, whose syntax trees would take seconds
        return
    local = {}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == LIBRARY:
            local |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    yield from local.values()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in local:
            yield f"{local[node.value.id]}.{node.attr}"


def exists(name: str) -> bool:
    package, _, attribute = name.rpartition(".")
    return hasattr(importlib.import_module(package), attribute)


USED = sorted({name for module in sources("models", "demo") for name in names_used(module)})


def test_huggingface_hub_has_every_used_name() -> None:
    assert f"{LIBRARY}.constants.DOWNLOAD_CHUNK_SIZE" in USED
    missing = [name for name in USED if not exists(name)]
    assert missing == [], f"huggingface_hub {importlib.import_module(LIBRARY).__version__} lacks them"


def test_a_missing_name_is_noticed() -> None:
    text = "def f():\n    from huggingface_hub import constants\n    constants.NOT_THERE = 1\n"
    result = list(names_used(Module("models.hub.planted", text)))
    assert result == [f"{LIBRARY}.constants", f"{LIBRARY}.constants.NOT_THERE"]
    assert [exists(name) for name in result] == [True, False]
