"""The programs of labs: “This in PyTorch” shows a short program that prints the numbers of the lab.

A program runs the functions of the project that the page runs: what it imports from `models`, or from
`pytorch/parts/`, is written out in place of the import, with all that it uses. So a reader needs torch and no
module of this project; some programs read its texts and checkpoints. A constant of a program that has the
name of a control, in capitals, gets the control's value.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

from demo.syntax import syntax_tree
from demo.widgets.answers.content import Control, Number, Program, Select

FOLDER = Path(__file__).parent / "pytorch"
VIEWS = "shown"  # the control that chooses among the views of a lab, which may have programs of their own
PARTS, LIBRARY = "parts", "models."  # packages whose definitions are written out
PROJECT = Path(__file__).parents[2]
NOTHING_MORE = Program()
_IMPORTS = (ast.Import, ast.ImportFrom)


def script_of(lab: str, controls: Sequence[Control] = (), program: Program = NOTHING_MORE) -> str:
    """Return the text of a lab's program with the values of the controls; empty if the lab has no program.

    `lab` is the name of a lab that exists. Without controls, the constants keep the template's values.
    """
    script = _template(lab, controls)
    literals = {control.name: _literal(control) for control in controls}
    literals |= {name: _python_text(value) for name, value in program.constants.items()}
    for name, literal in literals.items():
        if constant := _constant(script, name):
            line = f"{constant['name']} = {literal}{constant['comment'] or ''}"
            script = f"{script[: constant.start()]}{line}{script[constant.end() :]}"
    return _with_definitions(script, program.parts)


def without_constant(lab: str, controls: Sequence[Control], program: Program = NOTHING_MORE) -> list[str]:
    """Return the names of the controls whose values the program of a lab cannot have."""
    script = _template(lab, controls)
    return [
        control.name
        for control in controls
        if control.name in program.lacks
        or (control.name not in program.constants and not _has(script, control, lab))
    ]


def checkpoint_program(
    name: str, constants: Mapping[str, Any], parts: Mapping[str, str] | None = None
) -> Program:
    """Return the constants of a program that reads the checkpoint of the control `checkpoint`.

    A program can read only a checkpoint that ships.
    """
    from models.hub.pretrained import SHIPPED_FOLDER

    lacks = () if (SHIPPED_FOLDER / name).is_dir() else ("checkpoint",)
    return Program({"checkpoint": name, **constants}, parts or {}, lacks)


def _template(lab: str, controls: Sequence[Control]) -> str:
    view = next((str(control.value) for control in controls if control.name == VIEWS), "")
    paths = (FOLDER / f"{lab}_{view}.py", FOLDER / f"{lab}.py")
    return next((path.read_text(encoding="utf-8") for path in paths if path.is_file()), "")


def _has(script: str, control: Control, lab: str) -> bool:
    if control.name == VIEWS:
        first = isinstance(control, Select) and control.value == control.options[0][0]
        return first or (FOLDER / f"{lab}_{control.value}.py").is_file()
    constant = _constant(script, control.name)
    # A choice is listed beside its constant, unless the program can have any.
    return constant is not None and (not isinstance(control, Select) or f'"{control.value}"' in constant[0])


def _constant(script: str, name: str) -> re.Match[str] | None:
    value = r"(?:\((?:\n .*)*\n\)|.*?)"  # on one line, or in brackets on several
    constant = re.escape(name.upper())
    return re.search(rf"^(?P<name>{constant}) = {value}(?P<comment>  # .*)?$", script, re.MULTILINE)


def _literal(control: Control) -> str:
    """Return a value as Python writes it; numbers of whole steps are integers."""
    value = control.value
    if isinstance(control, Number) and float(control.step).is_integer() and float(value).is_integer():
        return str(int(value))
    return _python_text(value)


def _python_text(value: object) -> str:
    """Return a number, or a structure of texts, as Python writes it."""
    if isinstance(value, list) and all(token.split() == [token] for token in value):
        return f"{_python_text(' '.join(value))}.split()"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | list | dict) else repr(value)


def _with_definitions(script: str, replaced: Mapping[str, str]) -> str:
    """Return a program with the definitions that it imports written out below its constants.

    `replaced` maps the name of a part to the part that is used instead.
    """
    lines, body = script.splitlines(), syntax_tree(script).body
    definitions = _Definitions(replaced)
    for module, alias in _imported_names(body).values():
        definitions.add_import(module, alias)
    texts = definitions.texts()
    if not texts:
        return script
    imports = [node for node in body if isinstance(node, _IMPORTS)]
    first = next(node for node in body[body.index(imports[-1]) + 1 :] if not _is_constant(node))
    end_of_constants = body[body.index(first) - 1].end_lineno or 0
    head = lines[imports[-1].end_lineno : end_of_constants]
    above = "\n".join([*lines[: imports[0].lineno - 1], *_import_lines(definitions.imports), *head])
    return "\n\n\n".join([above, *texts, "\n".join(lines[end_of_constants:]).strip()]) + "\n"


@dataclass(frozen=True)
class _SourceFile:
    """A file whose definitions a program may contain."""

    lines: Sequence[str]
    statements: Sequence[ast.stmt]
    definitions: Mapping[str, ast.stmt]  # functions, classes and constants by name
    imports: Mapping[str, tuple[str, ast.alias]]

    def text_of(self, node: ast.stmt) -> str:
        """Return a definition with its decorators and the comment above it."""
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
        while first and self.lines[first - 1].startswith("#"):
            first -= 1
        return "\n".join(self.lines[first : node.end_lineno])


@cache
def _module(path: Path) -> _SourceFile:
    text = path.read_text(encoding="utf-8")
    body = syntax_tree(text).body
    definitions = {name: node for node in body for name in _defined_names(node)}
    return _SourceFile(text.splitlines(), body, definitions, _imported_names(body))


class _Definitions:
    """The definitions of the project that a program needs, and the imports of both."""

    def __init__(self, replaced: Mapping[str, str]) -> None:
        self.imports: set[tuple[str, str]] = set()  # module and name; "" for the module itself
        self._replaced = replaced
        self._names: dict[Path, set[str]] = defaultdict(set)
        self._modules = TopologicalSorter[Path]()  # a module after those that it imports

    def add_import(self, module: str, alias: ast.alias) -> Path | None:
        """Add an imported name; return the file that defines it if that is the project's."""
        package, _, file = module.rpartition(".")
        if package == PARTS:
            path = FOLDER / PARTS / f"{self._replaced.get(file, file)}.py"
        elif package.startswith(LIBRARY):
            path = PROJECT.joinpath(*module.split(".")).with_suffix(".py")
        else:
            self.imports.add((module, ast.unparse(alias)))
            return None
        self._add(path, alias.name)
        return path

    def _add(self, path: Path, name: str) -> None:
        """Add a definition and all that it uses."""
        if name in self._names[path]:
            return
        self._names[path].add(name)
        self._modules.add(path)
        module = _module(path)
        used = {node.id for node in ast.walk(module.definitions[name]) if isinstance(node, ast.Name)}
        for item in used & module.definitions.keys():
            self._add(path, item)
        for item in (used | {"annotations"}) & module.imports.keys():
            if other := self.add_import(*module.imports[item]):
                self._modules.add(path, other)

    def texts(self) -> list[str]:
        """Return the definitions, each after those that it needs; constants in a row are one text."""
        result, after_constant = list[str](), False
        for path in self._modules.static_order():
            module = _module(path)
            for node in module.statements:
                if self._names[path].isdisjoint(_defined_names(node)):
                    continue
                is_constant = isinstance(node, ast.Assign)
                if is_constant and after_constant:
                    result[-1] += "\n" + module.text_of(node)
                else:
                    result.append(module.text_of(node))
                after_constant = is_constant
        return result


def _imported_names(body: Sequence[ast.stmt]) -> dict[str, tuple[str, ast.alias]]:
    """Return what statements import, by its name there: the module, "" for a whole one, and the alias."""
    return {
        alias.asname or alias.name: (node.module or "" if isinstance(node, ast.ImportFrom) else "", alias)
        for node in body
        if isinstance(node, _IMPORTS)
        for alias in node.names
    }


def _defined_names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    return [item.id for target in targets for item in ast.walk(target) if isinstance(item, ast.Name)]


def _import_lines(imports: Iterable[tuple[str, str]]) -> list[str]:
    """Return imports of modules and names in the usual order: the standard library's, then the others."""
    names = dict[tuple[int, bool, str], list[str]]()
    for module, name in sorted(imports):
        key = (_rank(module or name), bool(module), module or name)
        names.setdefault(key, []).append(name)
    lines, last = list[str](), 0
    for (rank, selects, module), selected in sorted(names.items()):
        if lines and rank > last:
            lines.append("")
        lines.append(f"from {module} import {', '.join(selected)}" if selects else f"import {module}")
        last = rank
    return lines


def _rank(module: str) -> int:
    if module == "__future__":
        return 0
    return 1 if module.split(".")[0] in sys.stdlib_module_names else 2


def _is_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and all(name.isupper() for name in _defined_names(node))
