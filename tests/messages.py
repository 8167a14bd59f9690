"""The messages in the source files, each with its code, template and fields, and patterns for their texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cache

from tests.source_modules import Module, sources

FIELD = re.compile(r"\{(\w+)\}")
BASE, PART = "UnrolledError", "Message"
MARKS = ("say", "later", "in_page")  # functions that mark a sentence of the page
CLASS = re.compile(r"^ *class (\w+)\(([^)]*)\)", re.M)


@dataclass(frozen=True)
class TemplateUse:
    """A call that makes a message from a template."""

    line: int
    code: str
    template: str
    fields: tuple[str, ...]  # names of the keyword arguments, and the keys of a dictionary of them


@cache
def error_classes() -> frozenset[str]:
    """Return the names of the base class of our errors and of all its subclasses."""
    bases = {
        name: {base.strip() for base in parents.split(",")}
        for module in sources("models", "demo")
        for name, parents in CLASS.findall(module.text)  # a tenth of the time that the parser takes
    }
    classes = {BASE}
    while new := {name for name, parents in bases.items() if parents & classes} - classes:
        classes |= new
    return frozenset(classes)


def calls(module: Module, names: Set[str]) -> Iterator[ast.Call]:
    """Yield the calls of these functions and classes and of the base constructor by `super`."""
    for node in module.nodes(ast.Call):
        if isinstance(node.func, ast.Name):
            is_named = node.func.id in names
        else:
            is_constructor = isinstance(node.func, ast.Attribute) and node.func.attr == "__init__"
            is_named = BASE in names and is_constructor and ast.unparse(node.func) == "super().__init__"
        if is_named:
            yield node


def messages(module: Module) -> Iterator[TemplateUse]:
    """Yield the messages whose code and template are literals; variables belong to tables of labels."""
    for call in calls(module, {PART, *error_classes()}):
        literals = [arg.value for arg in call.args if is_text(arg)]
        if len(call.args) == len(literals) == 2:
            fields = [name for option in call.keywords for name in _names(option, module)]
            yield TemplateUse(call.lineno, *map(str, literals), tuple(fields))


def _names(option: ast.keyword, module: Module) -> list[str]:
    """Return the field of a keyword argument; of `**name` the keys of the dictionary."""
    return [option.arg] if option.arg else _keys(option.value, module)


def _keys(value: ast.expr, module: Module) -> list[str]:
    """Return the keys of a literal, or of a name that its function sets to one literal and only spreads.

    They are ["**"], which no template has, for anything else.
    """
    if isinstance(value, ast.Dict):
        pairs = zip(value.keys, value.values, strict=True)
        return [name for key, part in pairs for name in ([_text(key)] if key else _keys(part, module))]
    around = [one for one in module.functions() if one.lineno <= value.lineno <= (one.end_lineno or 0)]
    nodes = list(ast.walk(max(around, key=lambda one: one.lineno))) if around else []
    spread = [node.value for node in nodes if isinstance(node, ast.keyword) and node.arg is None]
    for node in nodes:
        if isinstance(node, ast.Dict):
            spread += [part for key, part in zip(node.keys, node.values, strict=True) if key is None]
    literals = [
        node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Dict)
        and list(map(ast.unparse, node.targets)) == [ast.unparse(value)]
    ]
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == ast.unparse(value)]
    others = {id(node) for node in uses} - set(map(id, spread))  # where it is set, read or changed
    return _keys(literals[0], module) if len(literals) == len(others) == 1 else ["**"]


def _text(key: ast.expr) -> str:
    return str(key.value) if isinstance(key, ast.Constant) else "**"


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def wording(code: str, /, **fields: object) -> str:
    """Return a pattern for the text of a message, in which fields that are not given match anything."""
    template = _template(code)
    parts = re.split(FIELD, template[:1].lower() + template[1:])  # text and field names alternate
    filled = [
        re.escape(str(fields[part])) if part in fields else ".*" if index % 2 else re.escape(part)
        for index, part in enumerate(parts)
    ]
    return f"(?is){''.join(filled)}"


def says(text: str, code: str, /, **fields: object) -> bool:
    """Whether a text, such as the output of a child process, contains this message; see `wording`."""
    return re.search(wording(code, **fields), text) is not None


@cache
def _template(code: str) -> str:
    modules = (module for module in sources("models", "demo") if f'"{code}"' in module.text)
    templates = {
        message.template for module in modules for message in messages(module) if message.code == code
    }
    (template,) = templates
    return template
