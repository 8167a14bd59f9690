"""The documents: their links and names lead somewhere, and their tables match the code."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath
from posixpath import dirname, join, normpath

from tests.documents import ROOT, Document
from tests.generated_docs import SECTIONS
from tests.lint.project import Breach, Project, unless
from tests.recipes import GUIDE, examples

README, CHANGELOG = "README.md", "CHANGELOG.md"
PICTURES, DRAWING = "docs/images/", "docs/images/architecture.svg"
MAX_WORDS = 1_800  # in the README
LARGEST_PICTURE = 1_500_000  # bytes
MIN_PACKAGES = 11  # in the drawing
PACKAGES = ("demo", "models", "tests")
DOCUMENT = re.compile(r"(docs/)?[^/]+\.md")
# Files and folders of the project in backticks, and modules in backticks or after `-m`.
FILE = re.compile(r"`((?:demo|models|tests|docs|checkpoints)/[\w./*-]*|app\.py)`")
MODULE = re.compile(r"(?:python -m |-m |`)((?:demo|models|tests)(?:\.\w+)+)\b")
DRAWN = re.compile(r">((?:demo|models)\.[\w.]+)<")
CHECKPOINT_ROW = re.compile(r"^\| \[`([\w-]+)`\]", re.M)


def every_link_has_a_target(project: Project) -> Iterator[Breach]:
    for path, document in _documents(project).items():
        for link in document.links():
            target, anchor = _target(path, link), link.partition("#")[2]
            if not _exists(project, target) or (anchor and anchor not in _read(project, target).anchors):
                yield Breach(
                    path, project.line_of(path, f"({link})"), f"links to {link}, which does not exist"
                )


def every_named_file_and_module_exists(project: Project) -> Iterator[Breach]:
    written_by_recipes = {example.path for example in examples()}
    for path, document in _documents(project).items():
        if path != CHANGELOG:  # it names files of earlier versions
            files = {*FILE.findall(document.text)} - written_by_recipes
            modules = {*MODULE.findall(document.text)}
            missing = [name for name in files if not _exists(project, name)]
            missing += [name for name in modules if not is_module_or_member(name)]
            for name in missing:
                yield Breach(path, project.line_of(path, name), f"names {name}, which does not exist")


def every_import_of_an_example_exists(project: Project) -> Iterator[Breach]:
    for path, document in _documents(project).items():
        for block in document.blocks if path != GUIDE.path.name else ():  # its examples are run
            for node in ast.walk(ast.parse(block.code)) if block.language == "python" else ():
                if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES:
                    names = [f"{node.module}.{alias.name}" for alias in node.names]
                    for name in names:
                        if not is_module_or_member(name):
                            yield Breach(
                                path, block.line + node.lineno, f"imports {name}, which does not exist"
                            )


def the_readme_is_short_and_lists_checkpoints(project: Project) -> Iterator[Breach]:
    readme = _read(project, README)
    yield from unless(README, {f"has more than {MAX_WORDS} words": len(readme.body.split()) <= MAX_WORDS})
    shipped = {path.split("/")[1] for path in project.matching("checkpoints/", "/config.json")}
    rows = {*CHECKPOINT_ROW.findall(readme.text)}
    yield from (Breach(README, 1, f"does not list the checkpoint {name}") for name in shipped - rows)
    yield from (Breach(README, 1, f"lists {name}, which is not shipped") for name in rows - shipped)


def every_guide_can_be_reached_from_the_readme(project: Project) -> Iterator[Breach]:
    documents = _documents(project)
    waiting, reached = [README], {README}
    while waiting:
        path = waiting.pop()
        targets = {_target(path, link) for link in documents[path].links()}
        fresh = (targets & documents.keys()) - reached
        waiting, reached = [*waiting, *fresh], reached | fresh
    for path in documents.keys() - reached:
        yield Breach(path, 1, "cannot be reached from the README")


def every_picture_is_small_and_shown(project: Project) -> Iterator[Breach]:
    linked = {
        _target(path, link) for path, document in _documents(project).items() for link in document.links()
    }
    for path in (path for path in project.sizes if path.startswith(PICTURES)):
        if path not in linked:
            yield Breach(path, 1, "is shown in no document")
        if project.sizes[path] > LARGEST_PICTURE:
            yield Breach(path, 1, f"has {project.sizes[path]:,} bytes, more than {LARGEST_PICTURE:,}")


def generated_tables_are_up_to_date(project: Project) -> Iterator[Breach]:
    for (path, name), section in SECTIONS.items():
        if path in project.texts and _read(project, path).marked(name) != section():
            line = project.line_of(path, f"<!-- {name} -->")
            yield Breach(path, line, f"has a table {name} that is out of date: run `make docs`")


def the_drawing_names_existing_packages(project: Project) -> Iterator[Breach]:
    names = DRAWN.findall(project.texts[DRAWING])
    yield from unless(DRAWING, {f"names fewer than {MIN_PACKAGES} packages": len(names) >= MIN_PACKAGES})
    for name in names:
        if not is_module_or_member(name):
            yield Breach(DRAWING, project.line_of(DRAWING, name), f"names {name}, which does not exist")


@cache
def is_module_or_member(name: str) -> bool:
    """Whether a dotted name is a module of the project or a member of one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:end])
        if path.is_dir() or path.with_suffix(".py").is_file():
            return end == len(parts) or hasattr(importlib.import_module(".".join(parts[:end])), parts[end])
    return False


def _documents(project: Project) -> dict[str, Document]:
    """Return the Markdown files at the top of the project and in `docs/`."""
    return {path: _read(project, path) for path in project.texts if DOCUMENT.fullmatch(path)}


def _read(project: Project, path: str) -> Document:
    return Document(ROOT / path, project.texts[path])


def _target(path: str, link: str) -> str:
    """Return the path that a link of a document leads to."""
    file = link.partition("#")[0]
    return normpath(join(dirname(path), file)) if file else path


def _exists(project: Project, path: str) -> bool:
    """Whether a file or folder is in the project; the path may be a pattern."""
    if "*" not in path:
        return normpath(path) in project.paths
    pattern = path.rstrip("/")
    depth = pattern.count("/")
    return any(other.count("/") == depth and PurePosixPath(other).match(pattern) for other in project.paths)
