"""Plain names: none that says nothing about its value, and one class or constant for each name."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping

from tests.lint.project import Breach, Findings, Project, each_text
from tests.lint.words.vague_words import (
    CONSTANTS,
    EXCEPTIONS,
    FUNCTIONS,
    MODEL_NAMES,
    NAMES,
    PARTICIPLE,
    PRODUCT,
    SCRIPT_FUNCTION,
    SCRIPT_FUNCTION_NAME,
    SCRIPT_NAME,
    SHARED_CONSTANTS,
    SPEECH_ACT,
    VAGUE_NAME,
    VAGUE_TEST,
    VALUE_DECORATORS,
)
from tests.source_modules import Module

Named = ast.arg | ast.Name | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
ALL = ""  # every path begins so
SAYS_NOTHING = "name {!r} says nothing about the value: see tests/lint/words/vague_words.py"
NOT_TESTS = ("app.py", "demo/", "models/", "docs/", ".ci/")


def names_are_plain(project: Project) -> Iterator[Breach]:
    for path, module in project.modules(ALL, programs=True).items():
        further = MODEL_NAMES if path.startswith("models/") else frozenset()
        banned = CONSTANTS | further if path.startswith(PRODUCT) else frozenset()
        for node, name in _definitions(module):
            is_vague = _is_vague(name, node) or name.strip("_") in banned
            is_vague = is_vague or (path.startswith(PRODUCT) and _is_participle(node))
            if is_vague and f"{path} {name}" not in EXCEPTIONS:
                yield Breach(path, node.lineno, SAYS_NOTHING.format(name))


def names_of_scripts_are_plain(project: Project) -> Iterator[Breach]:
    for path, text in project.matching("demo/", ".js").items():
        for number, line in enumerate(text.splitlines(), 1):
            for match in SCRIPT_NAME.finditer(line.split("//")[0]):
                name = next(filter(None, match.groups()))
                is_vague = (
                    name.lower() in NAMES
                    or VAGUE_NAME.fullmatch(name)
                    or SCRIPT_FUNCTION.fullmatch(match[0])
                    or name in CONSTANTS
                )
                if is_vague and f"{path} {name}" not in EXCEPTIONS:
                    yield Breach(path, number, SAYS_NOTHING.format(name))
            for names in SCRIPT_FUNCTION_NAME.findall(line):
                if PARTICIPLE.fullmatch("".join(names)):
                    yield Breach(path, number, SAYS_NOTHING.format("".join(names)))


@each_text("demo/", suffix=".js")
def no_property_or_class_is_a_speech_act(text: str) -> Findings:
    for number, line in enumerate(text.splitlines(), 1):
        for match in SPEECH_ACT.finditer(line):
            yield number, SAYS_NOTHING.format(match[1] or match[2])


def each_class_has_a_name_of_its_own(project: Project) -> Iterator[Breach]:
    """Yield classes of the product whose name another class has."""
    places = defaultdict(list)
    for path, module in project.modules(NOT_TESTS, programs=True).items():
        for node in module.nodes(ast.ClassDef):
            places[node.name.strip("_")].append((path, node.lineno))
    yield from _shared("class", places)


def each_constant_of_models_has_a_name_of_its_own(project: Project) -> Iterator[Breach]:
    places = defaultdict(list)
    for path, module in project.modules("models/", programs=True).items():
        for statement in module.tree.body:
            for node in ast.walk(statement) if isinstance(statement, ast.Assign | ast.AnnAssign) else ():
                name = node.id.strip("_") if isinstance(node, ast.Name) and _is_stored(node) else ""
                if name.isupper() and name not in SHARED_CONSTANTS:
                    places[name].append((path, node.lineno))
    yield from _shared("constant", {name: where for name, where in places.items() if len(dict(where)) > 1})


def _shared(kind: str, places: Mapping[str, list[tuple[str, int]]]) -> Iterator[Breach]:
    for name, (first, *others) in sorted(places.items()):
        if others:
            where = ", ".join(f"{path}:{line}" for path, line in others)
            yield Breach(*first, f"{kind} {name!r} is also in {where}")


def _definitions(module: Module) -> Iterator[tuple[Named, str]]:
    """Yield the nodes that define a name, and the name."""
    yield from ((node, node.arg) for node in module.nodes(ast.arg))
    yield from ((node, node.id) for node in module.nodes(ast.Name) if _is_stored(node))
    yield from ((node, node.name) for node in (*module.functions(), *module.nodes(ast.ClassDef)))


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _is_vague(name: str, node: Named) -> bool:
    word = name.strip("_").lower()
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return (
        word in NAMES
        or VAGUE_NAME.fullmatch(name) is not None
        or (is_function and (word in FUNCTIONS or VAGUE_TEST.fullmatch(name) is not None))
    )


def _is_participle(node: Named) -> bool:
    """Whether a function, and no property, is named by a bare participle."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not PARTICIPLE.fullmatch(node.name):
        return False
    return not VALUE_DECORATORS.intersection(map(ast.unparse, node.decorator_list))
