"""The programs of labs: “This in PyTorch” shows a short program that prints the numbers of the lab.

The programs are shown, not imported. To run one, a reader needs torch and nothing of this project. A constant
of a program that has the name of a control, in capitals, gets the control's value. `pytorch/parts/` holds
the code that several programs share; it replaces the line that imports it.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from demo.syntax import syntax_tree
from demo.widgets.answers.content import Program
from demo.widgets.answers.controls import Control, Number, Select

FOLDER = Path(__file__).parent / "pytorch"
VIEWS = "shown"  # the control that chooses among the views of a lab, which may have programs of their own
PARTS = "parts."
NOTHING_MORE = Program()
_IMPORTS = (ast.Import, ast.ImportFrom)


def has_script(lab: str) -> bool:
    """Return whether a lab that exists has a program."""
    return (FOLDER / f"{lab}.py").is_file()


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
    return _with_parts(script, program.parts)


def without_constant(lab: str, controls: Sequence[Control], program: Program = NOTHING_MORE) -> list[str]:
    """Return the names of the controls whose values the program of a lab cannot have."""
    script = _template(lab, controls)
    return [
        control.name
        for control in controls
        if control.name in program.lacks
        or (control.name not in program.constants and not _has(script, control, lab))
    ]


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


def _with_parts(script: str, replaced: Mapping[str, str]) -> str:
    """Return a program with the parts that it imports written out below its constants.

    `replaced` maps the name of a part to the part that is used instead.
    """
    parts = _imported_parts(script, replaced)
    if not parts:
        return script
    lines, body = script.splitlines(), syntax_tree(script).body
    imports = [node for node in body if isinstance(node, _IMPORTS)]
    first = next(node for node in body[body.index(imports[-1]) + 1 :] if not _is_constant(node))
    last_constant = body[body.index(first) - 1]
    head = lines[imports[-1].end_lineno : last_constant.end_lineno]
    texts = [*parts, "\n".join(lines[last_constant.end_lineno or 0 :]).strip()]
    above = "\n".join([*lines[: imports[0].lineno - 1], *_import_lines([script, *parts]), *head])
    return "\n\n\n".join([above, *map(_without_imports, texts)]) + "\n"


def _imported_parts(script: str, replaced: Mapping[str, str]) -> list[str]:
    """Return the texts of the parts that a program imports, each after those that it imports itself."""
    texts = list[str]()
    for node in syntax_tree(script).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PARTS):
            name = (node.module or "").removeprefix(PARTS)
            text = (FOLDER / "parts" / f"{replaced.get(name, name)}.py").read_text(encoding="utf-8")
            texts += [item for item in (*_imported_parts(text, replaced), text) if item not in texts]
    return texts


def _import_lines(scripts: Sequence[str]) -> list[str]:
    """Return the imports of several programs together, without those of parts, in the usual order."""
    names = dict[
        tuple[bool, bool, str], set[str]
    ]()  # keys: whether it is torch, whether `from`, and the module
    for node in (node for script in scripts for node in syntax_tree(script).body):
        if isinstance(node, ast.Import):
            for alias in node.names:
                names[_is_other(alias.name), False, alias.name] = set()
        elif isinstance(node, ast.ImportFrom) and not (module := node.module or "").startswith(PARTS):
            names.setdefault((_is_other(module), True, module), set()).update(map(ast.unparse, node.names))
    lines = list[str]()
    for index, key in enumerate(sorted(names)):
        other, selected, module = key
        if index and other != sorted(names)[index - 1][0]:
            lines.append("")
        lines.append(
            f"from {module} import {', '.join(sorted(names[key]))}" if selected else f"import {module}"
        )
    return lines


def _is_other(module: str) -> bool:
    return module.split(".")[0] not in sys.stdlib_module_names


def _is_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and all(name.isupper() for name in _assigned_names(node))


def _assigned_names(node: ast.Assign) -> list[str]:
    return [item.id for target in node.targets for item in ast.walk(target) if isinstance(item, ast.Name)]


def _without_imports(part: str) -> str:
    """Return the text below the imports of a part; a program's own has none left."""
    imports = [node for node in syntax_tree(part).body if isinstance(node, _IMPORTS)]
    return "\n".join(part.splitlines()[imports[-1].end_lineno if imports else 0 :]).strip()
