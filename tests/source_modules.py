"""The project's source files as text and syntax trees, their imports, and the modules loaded with each."""

from __future__ import annotations

import ast
import gc
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path, PurePath
from typing import TypeVar

ROOT = Path(__file__).parents[1]
PROGRAMS = "pytorch"  # name of folders with programs for readers, which the app never imports
Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True)
class Module:
    """One source file."""

    name: str  # dotted; a package's __init__.py has the package's name
    text: str
    is_package: bool = False

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree. A parser makes no garbage, whose search would take as long as the parser."""
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return ast.parse(self.text)
        finally:
            if was_enabled:
                gc.enable()

    @cached_property
    def _nodes(self) -> Mapping[type[ast.AST], list[ast.AST]]:
        nodes = defaultdict(list)
        for node in ast.walk(self.tree):
            nodes[type(node)].append(node)
        return nodes

    def nodes(self, *kinds: type[Node]) -> Iterator[Node]:
        """Yield the nodes of these classes, after one walk through the tree for all callers."""
        for kind in kinds:
            yield from self._nodes.get(kind, ())  # type: ignore[misc]

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Yield the functions, inner ones and methods among them."""
        yield from self.nodes(ast.FunctionDef, ast.AsyncFunctionDef)

    def imports(self, *, at_once: bool = False) -> Iterator[str]:
        """Yield the dotted names of all imports; `at_once` leaves out imports of functions and for types."""
        yield from (target for target, _ in self.import_lines(at_once=at_once))

    def import_lines(self, *, at_once: bool = False) -> Iterator[tuple[str, int]]:
        """Yield the dotted name and the line of each import; see `imports`."""
        for node in self.tree.body if at_once else self.nodes(ast.Import, ast.ImportFrom):
            if isinstance(node, ast.Import):
                yield from ((alias.name, node.lineno) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from ((f"{self._origin(node)}.{alias.name}", node.lineno) for alias in node.names)

    def _origin(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        package = parts[: len(parts) - node.level + self.is_package]
        return ".".join([*package, *filter(None, [node.module])])


def within(name: str, package: str) -> bool:
    """Whether a dotted name is the package or lies in it."""
    return name == package or name.startswith(f"{package}.")


@cache  # each file is read and parsed once, however the callers combine them
def read(path: Path, root: Path = ROOT) -> Module:
    return module_of(path.relative_to(root), path.read_text(encoding="utf-8"))


def module_of(path: PurePath, text: str) -> Module:
    """Return the module of a path in the project."""
    parts = path.with_suffix("").parts
    is_package = parts[-1] == "__init__"
    return Module(".".join(parts[:-1] if is_package else parts), text, is_package)


@cache
def _folder(name: str) -> tuple[Module, ...]:
    paths = (path for path in sorted((ROOT / name).rglob("*.py")) if PROGRAMS not in path.parts)
    return tuple(read(path) for path in paths)


def sources(*folders: str) -> tuple[Module, ...]:
    return tuple(module for folder in folders for module in _folder(folder))


def loaded_with(name: str, project: Mapping[str, Module]) -> set[str]:
    """Return the project's modules that run when `name` is imported, with the packages above them."""
    loaded: set[str] = set()
    waiting = [name]
    while waiting:
        parts = waiting.pop().split(".")
        new = {".".join(parts[:end]) for end in range(1, len(parts) + 1)} & project.keys() - loaded
        loaded |= new
        waiting += [target for module in new for target in project[module].imports(at_once=True)]
    return loaded


def loads_torch(name: str, project: Mapping[str, Module]) -> list[str]:
    """Return the modules that import torch when `name` is imported."""
    modules = [project[other] for other in sorted(loaded_with(name, project))]
    return [m.name for m in modules if any(within(target, "torch") for target in m.imports(at_once=True))]
