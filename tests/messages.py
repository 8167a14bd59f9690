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
    fields: tuple[str, ...]  # names of the keyword arguments


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
            fields = tuple(str(option.arg) for option in call.keywords)
            yield TemplateUse(call.lineno, *map(str, literals), fields)


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
