"""All messages in the source files: errors, parts of sentences and labels, each with its line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tests.source_modules import Module, sources

FIELD = re.compile(r"\{(\w+)\}")
BASE, PART = "UnrolledError", "Message"
MARKS = ("say", "later", "in_page")  # functions that mark a sentence of the page


@dataclass(frozen=True)
class TemplateUse:
    """A call that makes a message from a template."""

    line: str  # module and line number
    code: str
    template: str
    fields: tuple[str, ...]  # names of the keyword arguments


@cache
def error_classes() -> frozenset[str]:
    """Return the names of the base class of our errors and of all its subclasses."""
    bases = {
        node.name: {ast.unparse(base) for base in node.bases}
        for module in sources("models", "demo")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    }
    classes = {BASE}
    while new := {name for name, parents in bases.items() if parents & classes} - classes:
        classes |= new
    return frozenset(classes)


def calls(module: Module, names: frozenset[str] | set[str]) -> Iterator[ast.Call]:
    """Yield the calls of these functions and classes and of the base constructor by `super`."""
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call):
            continue
        constructs_base = BASE in names and ast.unparse(node.func) == "super().__init__"
        if constructs_base or (isinstance(node.func, ast.Name) and node.func.id in names):
            yield node


def messages(module: Module) -> Iterator[TemplateUse]:
    """Yield the messages whose code and template are literals; variables belong to tables of labels."""
    for call in calls(module, {PART, *error_classes()}):
        literals = [arg.value for arg in call.args if _is_text(arg)]
        if len(call.args) == len(literals) == 2:
            fields = tuple(str(option.arg) for option in call.keywords)
            yield TemplateUse(f"{module.name}:{call.lineno}", *map(str, literals), fields)


def wording(code: str, /, **fields: object) -> str:
    """Return a pattern for the text of a message, in which fields that are not given match anything."""
    template = _templates()[code]
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
def _templates() -> dict[str, str]:
    modules = sources("models", "demo")
    return {message.code: message.template for module in modules for message in messages(module)}


def sentences(module: Module) -> Iterator[tuple[str, str]]:
    """Yield template and line of each sentence for readers; values of an f-string become `{}`."""
    for call in calls(module, {PART, *MARKS, *error_classes(), "ValueError", "RuntimeError"}):
        for arg in call.args:
            if isinstance(arg, ast.JoinedStr) or _is_text(arg):
                yield _template(arg), f"{module.name}:{call.lineno}"


def plain_texts(module: Module) -> Iterator[str]:
    """Yield the lines of errors that cannot be translated: without a code, or joined from parts."""
    for call in calls(module, error_classes()):
        is_data = len(call.args) == 2 and all(map(_is_text, call.args))
        texts = [
            arg
            for arg in call.args
            if isinstance(arg, ast.JoinedStr) or " " in _template(arg) or _is_translated(arg)
        ]
        if texts and not is_data:
            yield f"{module.name}:{call.lineno} {ast.unparse(call)[:100]}"


def _is_translated(node: ast.expr) -> bool:
    """Whether the expression is a translated text, which has lost its code."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in {"say", "tell", "sentence"}


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _template(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else ""
