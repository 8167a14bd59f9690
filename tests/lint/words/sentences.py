"""Plain docstrings, comments and sentences, and a docstring for every public method."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from tests.lint.project import Breach, Findings, Project, each_module, each_text, line_at
from tests.lint.words.names import ALL, NOT_TESTS
from tests.lint.words.vague_words import (
    CONTINUED,
    HANGING,
    OPENINGS,
    PRODUCT,
    PRODUCT_OPENINGS,
    QUAINT,
    VAGUE_NUMBER,
    VAGUE_PHRASE,
)
from tests.source_modules import Module

Method = ast.FunctionDef | ast.AsyncFunctionDef


@each_module(ALL, programs=True)
def docstrings_are_plain(module: Module) -> Findings:
    for node, docstring in _docstrings(module):
        first = docstring.split(maxsplit=1)[:1]
        if OPENINGS.intersection(first):
            yield node, f"docstring begins with {first[0]!r}"
        if docstring.startswith("See `"):
            yield node, "docstring refers to another, without saying what this does"
        for phrase in VAGUE_PHRASE.findall(docstring):
            yield node, f"docstring says {phrase!r}"


@each_module(*PRODUCT, programs=True)
def docstrings_of_the_product_name_things(module: Module) -> Findings:
    for node, docstring in _docstrings(module):
        first = docstring.split(maxsplit=1)[:1]
        if PRODUCT_OPENINGS.intersection(first):
            yield node, f"docstring begins with {first[0]!r}"
        for phrase in VAGUE_NUMBER.findall(docstring):
            yield node, f"docstring says {phrase!r}"


def _docstrings(module: Module) -> Iterator[tuple[int, str]]:
    for node in (module.tree, *module.nodes(ast.ClassDef), *module.functions()):
        yield getattr(node, "lineno", 1), ast.get_docstring(node) or ""


@each_text(*PRODUCT, suffix=(".py", ".js"))
def comments_are_plain(text: str) -> Findings:
    """Yield comments that begin like a clause, unless they go on in the next line, or say `so many`."""
    goes_on = False
    for number, line in enumerate(text.splitlines(), 1):
        match = HANGING.search(line)
        if match and not (goes_on and line.lstrip().startswith(("#", "//"))):
            yield number, f"comment begins with {match[1]!r}"
        for phrase in VAGUE_NUMBER.findall(line.partition("  # ")[2] or line.partition("# ")[2]):
            yield number, f"comment says {phrase!r}"
        goes_on = line.lstrip().startswith(("#", "//"))


@each_text(*NOT_TESTS, suffix=".py")
def no_comment_continues_a_name(text: str) -> Findings:
    for match in CONTINUED.finditer(text):
        yield line_at(text, match.start(1)), f"comment continues the name {match[1]!r}"


@each_module(*PRODUCT, programs=True)
def sentences_are_plain(module: Module) -> Findings:
    """Yield string constants with a quaint phrase; docstrings have rules of their own."""
    docstrings = {id(node.value) for node in module.nodes(ast.Expr)}
    for node in module.nodes(ast.Constant):
        if isinstance(node.value, str) and " " in node.value and id(node) not in docstrings:
            yield from ((node, f"sentence says {phrase!r}") for phrase in QUAINT.findall(node.value))


def public_methods_have_docstrings(project: Project) -> Iterator[Breach]:
    """Yield public methods without a docstring that override none with one."""
    classes: dict[str, list[ast.ClassDef]] = defaultdict(list)
    paths: dict[ast.ClassDef, str] = {}
    for path, module in project.modules(NOT_TESTS).items():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(node)
                paths[node] = path
    protocols = [node for nodes in classes.values() for node in nodes if "Protocol" in _bases(node)]
    in_protocols = {name for node in protocols for name in _documented(node)}
    for node, path in paths.items():
        if not node.name.startswith("_"):
            documented = {name for base in _ancestors(node, classes) for name in _documented(base)}
            documented |= in_protocols | {*_documented(node)}
            for method in _methods(node):
                if not method.name.startswith("_") and method.name not in documented:
                    yield Breach(path, method.lineno, f"method {method.name!r} has no docstring")


def _methods(node: ast.ClassDef) -> list[Method]:
    return [part for part in node.body if isinstance(part, Method)]


def _documented(node: ast.ClassDef) -> list[str]:
    return [method.name for method in _methods(node) if ast.get_docstring(method)]


def _bases(node: ast.ClassDef) -> list[str]:
    bases = [base.value if isinstance(base, ast.Subscript) else base for base in node.bases]
    return [ast.unparse(base).split(".")[-1] for base in bases]


def _ancestors(node: ast.ClassDef, classes: dict[str, list[ast.ClassDef]]) -> Iterator[ast.ClassDef]:
    for name in _bases(node):
        for base in classes.get(name, ()):
            if base is not node:
                yield base
                yield from _ancestors(base, classes)
