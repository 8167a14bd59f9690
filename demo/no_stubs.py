"""Gradio without the type stubs that it writes for every class of a component, at every start.

For each of its own components too it finds, parses and compares source files, a third of the time that
`import gradio` takes; and beside ours the stubs lie in the tree and tell type checkers what was there before.
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
    """Finds that one module, once, and takes the function away when the module has run."""

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder`."""
        if name != WRITER:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """See `importlib.abc.Loader`."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """See `importlib.abc.Loader`."""
        self._loader.exec_module(module)
        module.create_or_modify_pyi = lambda *_: None  # type: ignore[attr-defined]


def leave_out_stubs() -> None:
    """To be called before `gradio` is imported; later there is nothing left to gain."""
    if WRITER not in sys.modules and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
