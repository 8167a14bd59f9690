"""A lint for plain words: docstrings, names, and one class for each name.

`python -m tests.plain_words [--count] [FOLDER...]` prints what it finds; `make check` runs it.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.vague_words import (
    CONSTANTS,
    CONTINUED,
    EXCEPTIONS,
    FUNCTIONS,
    HANGING,
    MODEL_NAMES,
    NAMES,
    OPENINGS,
    PARTICIPLE,
    PRODUCT_FOLDERS,
    PRODUCT_OPENINGS,
    QUAINT,
    SCRIPT_FUNCTION,
    SCRIPT_FUNCTION_NAME,
    SCRIPT_NAME,
    SHARED_CONSTANTS,
    SPEECH_ACT,
    VAGUE_NAME,
    VAGUE_NUMBER,
    VAGUE_PHRASE,
    VAGUE_TEST,
    VALUE_DECORATORS,
)

ROOT = Path(__file__).parent.parent


def python_findings(path: str, text: str) -> Iterator[str]:
    """One line for each docstring, name and comment of a Python file that is not plain."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Module):
            yield from _docstring_findings(
                f"{path}:{getattr(node, 'lineno', 1)}", ast.get_docstring(node) or ""
            )
        name = _name(node)
        further = MODEL_NAMES if path.startswith("models/") else frozenset()
        banned = CONSTANTS | further if _is_product(path) else frozenset()
        is_vague = _is_vague(name, node) or name.strip("_") in banned
        is_vague = is_vague or (_is_product(path) and _is_participle(node))
        if is_vague and f"{path} {name}" not in EXCEPTIONS:
            yield f"{path}:{getattr(node, 'lineno', 1)}: name {name!r}"
        if _is_product(path):
            yield from _sentence_findings(path, node)
    yield from _hanging_comments(path, text)
    for match in () if path.startswith("tests/") else CONTINUED.finditer(text):
        yield f"{path}:{text.count(chr(10), 0, match.start(1)) + 1}: comment continues the name {match[1]!r}"


def _is_product(path: str) -> bool:
    return path.startswith(PRODUCT_FOLDERS)


def _hanging_comments(path: str, text: str) -> Iterator[str]:
    """One line for each comment that begins like a clause; a comment may go on in the next line."""
    goes_on = False
    for number, line in enumerate(text.splitlines() if _is_product(path) else (), 1):
        match = HANGING.search(line)
        if match and not (goes_on and line.lstrip().startswith(("#", "//"))):
            yield f"{path}:{number}: comment begins with {match[1]!r}"
        for phrase in VAGUE_NUMBER.findall(line.partition("  # ")[2] or line.partition("# ")[2]):
            yield f"{path}:{number}: comment says {phrase!r}"
        goes_on = line.lstrip().startswith(("#", "//"))


def _docstring_findings(where: str, docstring: str) -> Iterator[str]:
    first = docstring.split(maxsplit=1)[:1]
    if OPENINGS.intersection(first):
        yield f"{where}: docstring begins with {first[0]!r}"
    if _is_product(where) and PRODUCT_OPENINGS.intersection(first):
        yield f"{where}: docstring begins with {first[0]!r}"
    if docstring.startswith("See `"):
        yield f"{where}: docstring refers to another, without saying what this does"
    numbers = VAGUE_NUMBER.findall(docstring) if _is_product(where) else []
    for phrase in (*VAGUE_PHRASE.findall(docstring), *numbers):
        yield f"{where}: docstring says {phrase!r}"


def _sentence_findings(path: str, node: ast.AST) -> Iterator[str]:
    """One line for each quaint phrase in a string constant; docstrings have rules of their own."""
    for child in () if isinstance(node, ast.Expr) else ast.iter_child_nodes(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str) and " " in child.value:
            for phrase in QUAINT.findall(child.value):
                yield f"{path}:{child.lineno}: sentence says {phrase!r}"


def _is_vague(name: str, node: ast.AST) -> bool:
    word = name.strip("_").lower()
    is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    return (
        word in NAMES
        or VAGUE_NAME.fullmatch(name) is not None
        or (is_function and (word in FUNCTIONS or VAGUE_TEST.fullmatch(name) is not None))
    )


def _is_participle(node: ast.AST) -> bool:
    """Whether a function, and no property, is named by a bare participle."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not PARTICIPLE.fullmatch(node.name):
        return False
    return not VALUE_DECORATORS.intersection(map(ast.unparse, node.decorator_list))


def _name(node: ast.AST) -> str:
    """The name that a node defines; "" if it defines none."""
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    return ""


def script_findings(path: str, text: str) -> Iterator[str]:
    """One line for each name of a script that is not plain."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in SCRIPT_NAME.finditer(line.split("//")[0]):
            name = next(filter(None, match.groups()))
            is_vague = (
                name.lower() in NAMES
                or VAGUE_NAME.fullmatch(name)
                or SCRIPT_FUNCTION.fullmatch(match[0])
                or (_is_product(path) and name in CONSTANTS)
            )
            if is_vague and f"{path} {name}" not in EXCEPTIONS:
                yield f"{path}:{number}: name {name!r}"
        for names in SCRIPT_FUNCTION_NAME.findall(line) if _is_product(path) else ():
            if PARTICIPLE.fullmatch("".join(names)):
                yield f"{path}:{number}: name {''.join(names)!r}"
    for number, line in enumerate(text.splitlines(), 1):
        for match in SPEECH_ACT.finditer(line):
            yield f"{path}:{number}: name {match[1] or match[2]!r}"
    yield from _hanging_comments(path, text)


def constant_findings(texts: dict[str, str]) -> Iterator[str]:
    """One line for each constant of `models` whose name another module of `models` defines too."""
    places = defaultdict(list)
    for path, text in texts.items():
        if path.startswith("models/") and path.endswith(".py"):
            for statement in ast.parse(text).body:
                for node in ast.walk(statement) if isinstance(statement, ast.Assign | ast.AnnAssign) else ():
                    name = _name(node).strip("_")
                    if isinstance(node, ast.Name) and name.isupper() and name not in SHARED_CONSTANTS:
                        places[name].append(f"{path}:{node.lineno}")
    for name, where in sorted(places.items()):
        if len({line.split(":")[0] for line in where}) > 1:
            yield f"{where[0]}: constant {name!r} is also in {', '.join(where[1:])}"


def class_findings(texts: dict[str, str]) -> Iterator[str]:
    """One line for each class whose name another class of the product has."""
    places = defaultdict(list)
    for path, text in texts.items():
        if path.endswith(".py") and not path.startswith("tests/"):
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.ClassDef) and node.name not in EXCEPTIONS:
                    places[node.name.strip("_")].append(f"{path}:{node.lineno}")
    for name, where in sorted(places.items()):
        if len(where) > 1:
            yield f"{where[0]}: class {name!r} is also in {', '.join(where[1:])}"


def undocumented(texts: dict[str, str]) -> Iterator[str]:
    """One line for each public method without a docstring that overrides none with one."""
    classes: dict[str, list[ast.ClassDef]] = defaultdict(list)
    paths: dict[ast.ClassDef, str] = {}
    for path, text in texts.items():
        if path.endswith(".py") and not path.startswith("tests/") and "/pytorch/" not in path:
            for node in ast.parse(text).body:
                if isinstance(node, ast.ClassDef):
                    classes[node.name].append(node)
                    paths[node] = path
    protocols = [node for nodes in classes.values() for node in nodes if "Protocol" in _bases(node)]
    for node, path in paths.items():
        if node.name.startswith("_"):
            continue
        documented = {name for base in [*_ancestors(node, classes), *protocols] for name in _documented(base)}
        for method in _methods(node):
            if not method.name.startswith("_") and method.name not in documented | set(_documented(node)):
                yield f"{path}:{method.lineno}: method {method.name!r} has no docstring"


def _methods(node: ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [part for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)]


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


def findings() -> list[str]:
    """All that the lint finds in the project's Python and scripts."""
    file_list = subprocess.run(
        ["git", "ls-files", "*.py", "demo/*.js"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in file_list.stdout.split()}
    of_file = (
        line
        for path, text in texts.items()
        for line in (python_findings if path.endswith(".py") else script_findings)(path, text)
    )
    return [*of_file, *class_findings(texts), *constant_findings(texts), *undocumented(texts)]


def main() -> int:
    """The exit status: 1 if there are findings in the given folders."""
    parser = argparse.ArgumentParser(prog="python -m tests.plain_words", description=__doc__)
    parser.add_argument("folders", nargs="*", help="default: all")
    parser.add_argument("--count", action="store_true", help="count the findings by folder and kind")
    options = parser.parse_args()
    lines = [line for line in findings() if not options.folders or line.startswith(tuple(options.folders))]
    if options.count:
        folders = Counter("/".join(line.split(":")[0].split("/")[:-1][:2]) for line in lines)
        kinds = Counter(re.sub(r" (is also|begins).*", "", line.split(": ", 1)[1]) for line in lines)
        lines = [f"{number:6} {what}" for what, number in [*folders.most_common(), *kinds.most_common()]]
    print(*lines, sep="\n")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
