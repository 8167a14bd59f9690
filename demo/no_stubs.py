"""Keeps Gradio from writing type stubs for every component class at every start.

Writing them takes a third of the time of `import gradio`, which reads and compares the sources of all
components. The stubs beside our own components would also show type checkers an older state of the code.
"""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

WRITER = "gradio.component_meta"  # its `create_or_modify_pyi` is called by the metaclass of all components


class _Finder(MetaPathFinder):
    """Finds the module `WRITER` once, and replaces its function after the module has run."""

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The spec of `WRITER` with a loader that replaces its function; None for other modules."""
        if name != WRITER:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _StublessLoader(spec.loader)
        return spec


class _StublessLoader(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The module of the replaced loader."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, then replace its function."""
        self._loader.exec_module(module)
        module.create_or_modify_pyi = lambda *_: None  # type: ignore[attr-defined]


def leave_out_stubs() -> None:
    """Turn the stubs off. Call it before `gradio` is imported; afterwards it has no effect."""
    if WRITER not in sys.modules and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
