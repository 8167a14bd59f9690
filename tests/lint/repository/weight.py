"""The weight of the product, which may only fall: its lines of code, its crowded and its deep folders."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from tests.lint.project import CODE, Breach, Project
from tests.source_modules import Module

MAX_CODE = 61_808
SLACK = 100  # lines of code below MAX_CODE after which it must be lowered
MAX_ENTRIES, MAX_DEPTH = 15, 4  # files and folders in one; the depth of a folder
# Folders with more entries, and how many they have.
CROWDED: dict[str, int] = {"demo": 21, "demo/widgets": 17, "models": 24}
# Folders that the program reads: a new file there needs no entry in a list, so there may be any number.
READ = (
    *("demo/evaluate/parts", "demo/inspect", "demo/labs", "demo/labs/pytorch", "demo/learn/lessons/course"),
    *("demo/learn/lessons/kit", "demo/trace/cards", "demo/widgets/figures", "models/decoding/strategies"),
    *("models/evaluation/counterfactuals", "models/inspection/methods", "models/networks/cells"),
)
# Folders below which there are more than MAX_DEPTH.
DEEP = ("demo/learn/dock/lazy", "demo/trace/cards")
THIS_FILE = "tests/lint/repository/weight.py"
COMMENT_SIGNS = ("//", "/*", "*")


def the_product_grows_no_further(project: Project) -> Iterator[Breach]:
    scripts = [*project.matching(CODE, ".js").values(), *project.matching(CODE, ".css").values()]
    modules = project.modules(CODE, programs=True).values()
    count = sum(map(_script_lines, scripts)) + sum(map(python_lines, modules))
    if count > MAX_CODE:
        yield Breach(THIS_FILE, 1, f"the product has {count:,} lines of code, more than {MAX_CODE:,}")
    elif project.is_whole and count < MAX_CODE - SLACK:
        yield Breach(THIS_FILE, 1, f"the product has {count:,} lines of code: lower MAX_CODE to it")


def folders_are_neither_crowded_nor_deep(project: Project) -> Iterator[Breach]:
    entries: Counter[str] = Counter()
    product = {path for path in project.sizes if path.startswith(CODE)}
    folders = {str(folder) for path in product for folder in PurePosixPath(path).parents}
    for path in product | folders:
        entries[str(PurePosixPath(path).parent)] += 1
    for folder in sorted(folders - {".", *READ}):
        most, count = CROWDED.get(folder, MAX_ENTRIES), entries[folder]
        if count > most or (project.is_whole and folder in CROWDED and count < most):
            yield Breach(folder, 1, f"has {count} entries, not {most}: divide it, or lower CROWDED")
    for folder in sorted(folders):
        if folder.count("/") >= MAX_DEPTH and not folder.startswith(DEEP):
            yield Breach(folder, 1, f"lies more than {MAX_DEPTH} folders deep")
    if project.is_whole:
        lost = [folder for folder in (*CROWDED, *READ, *DEEP) if folder not in folders]
        yield from (Breach(THIS_FILE, 1, f"names {folder}, which there is no more") for folder in lost)


def python_lines(module: Module) -> int:
    """The lines without blank ones, comments, docstrings and imports."""
    code = {
        number
        for number, line in enumerate(module.text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    bodies = [
        node.body for node in module.nodes(ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    ]
    docstrings = [body[0] for body in bodies if body and _is_text(body[0])]
    for node in (*docstrings, *module.nodes(ast.Import, ast.ImportFrom)):
        code.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(code)


def _is_text(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _script_lines(text: str) -> int:
    lines = (line.strip() for line in text.splitlines())
    return sum(bool(line) and not line.startswith((*COMMENT_SIGNS, "import ")) for line in lines)
