"""Every message of the sources, found where it stands: of errors, of parts of sentences, of labels."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tests.source_modules import Module, sources

FIELD = re.compile(r"\{(\w+)\}")
BASE, PART = "UnrolledError", "Message"
MARKS = ("say", "later", "in_page")  # what the page calls a sentence with


@dataclass(frozen=True)
class Written:
    """A message with its template, as somebody wrote it."""

    place: str  # module and line
    code: str
    template: str
    fields: tuple[str, ...]  # as they are given


@cache
def error_classes() -> frozenset[str]:
    """The names of the base and of all classes that are made of it."""
    bases = {
        node.name: {ast.unparse(base) for base in node.bases}
        for module in sources("models", "demo")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {BASE}
    while new := {name for name, theirs in bases.items() if theirs & found} - found:
        found |= new
    return frozenset(found)


def calls(module: Module, names: frozenset[str] | set[str]) -> Iterator[ast.Call]:
    """The calls of functions and classes by name; with those of an error, how a class of it begins."""
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call):
            continue
        constructs_base = BASE in names and ast.unparse(node.func) == "super().__init__"
        if constructs_base or (isinstance(node.func, ast.Name) and node.func.id in names):
            yield node


def messages(module: Module) -> Iterator[Written]:
    """Those with a template; one that is a variable belongs to a table of labels."""
    for call in calls(module, {PART, *error_classes()}):
        literals = [arg.value for arg in call.args if _is_text(arg)]
        if len(call.args) == len(literals) == 2:
            fields = tuple(str(option.arg) for option in call.keywords)
            yield Written(f"{module.name}:{call.lineno}", *map(str, literals), fields)


def wording(code: str, /, **fields: object) -> str:
    """A pattern of what a reader sees of a message: its template, with anything for the fields left out."""
    template = _templates()[code]
    parts = re.split(FIELD, template[:1].lower() + template[1:])  # text and names by turns
    filled = [
        re.escape(str(fields[part])) if part in fields else ".*" if place % 2 else re.escape(part)
        for place, part in enumerate(parts)
    ]
    return f"(?is){''.join(filled)}"


def says(text: str, code: str, /, **fields: object) -> bool:
    """Whether a text, such as what a child process printed, holds this message; see `wording`."""
    return re.search(wording(code, **fields), text) is not None


@cache
def _templates() -> dict[str, str]:
    modules = sources("models", "demo")
    return {each.code: each.template for module in modules for each in messages(module)}


def sentences(module: Module) -> Iterator[tuple[str, str]]:
    """Template and place of all that a reader is told, `{}` for what an f-string fills in."""
    for call in calls(module, {PART, *MARKS, *error_classes(), "ValueError", "RuntimeError"}):
        for arg in call.args:
            if isinstance(arg, ast.JoinedStr) or _is_text(arg):
                yield _template(arg), f"{module.name}:{call.lineno}"


def plain_texts(module: Module) -> Iterator[str]:
    """The places of errors whose text no catalogue can know: put together, or without a code."""
    for call in calls(module, error_classes()):
        written = len(call.args) == 2 and all(map(_is_text, call.args))
        told = [
            arg
            for arg in call.args
            if isinstance(arg, ast.JoinedStr) or " " in _template(arg) or _is_translated(arg)
        ]
        if told and not written:
            yield f"{module.name}:{call.lineno} {ast.unparse(call)[:100]}"


def _is_translated(node: ast.expr) -> bool:
    """Whether it is told already, in one language and without its code."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in {"say", "tell", "sentence"}


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _template(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return str(node.value) if isinstance(node, ast.Constant) else ""
