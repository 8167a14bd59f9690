"""The documents: what they name is there, and what they list is the code's."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from tests.documents import ROOT, Block, Document, documents
from tests.generated_docs import SECTIONS
from tests.recipes import GUIDE, examples

DOCUMENTS = documents()
README = Document(ROOT / "README.md")
MOST_WORDS = 1_800  # of the README
LARGEST_PICTURE = 1_500_000  # bytes
# In backticks: a file or folder of the project, or a module.
FILE = re.compile(r"`((?:demo|models|tests|docs|checkpoints)/[\w./*-]*|app\.py)`")
MODULE = re.compile(r"(?:python -m |-m |`)((?:demo|models|tests)(?:\.\w+)+)\b")


def named(document: Document) -> str:
    return document.path.relative_to(ROOT).as_posix()


every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=named)


@every_document
def test_every_link_leads_somewhere(document: Document) -> None:
    assert list(broken_links(document)) == []


def broken_links(document: Document) -> Iterator[str]:
    for link in document.links():
        file, _, anchor = link.partition("#")
        target = document.path.parent / file if file else document.path
        if not target.exists() or (anchor and anchor not in Document(target).anchors):
            yield link


# The changelog tells of what was there once.
@pytest.mark.parametrize("document", [each for each in DOCUMENTS if each.path.stem != "CHANGELOG"], ids=named)
def test_every_file_and_module_that_is_named_exists(document: Document) -> None:
    written = {example.path for example in examples()}  # by whoever follows a recipe
    named = {*FILE.findall(document.text)} - written
    files = {name for name in named if not [*ROOT.glob(name.rstrip("/"))]}
    modules = {name for name in MODULE.findall(document.text) if not is_module_or_member(name)}
    assert (files, modules) == (set(), set())


def is_module_or_member(name: str) -> bool:
    """Whether a dotted name is a module of the project, or something in one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:end])
        if path.is_dir() or path.with_suffix(".py").is_file():
            return end == len(parts) or hasattr(importlib.import_module(".".join(parts[:end])), parts[end])
    return False


def test_a_link_or_name_that_leads_nowhere_is_noticed(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.md"
    wrong.write_text("# One\n[a](no.md) [b](#one) [c](#two) [d](https://example.org)\n```\n[e](no.py)\n```\n")
    assert list(broken_links(Document(wrong))) == ["no.md", "#two"]
    assert is_module_or_member("models.decoding.decode")
    assert is_module_or_member("models.decoding.trace.DecodingTrace")
    assert not is_module_or_member("models.decoding.trace.Nothing")
    assert not is_module_or_member("models.nothing.trace")
    assert FILE.findall("`demo/tabs/`, `app.py`, `models`, `demo.tabs`") == ["demo/tabs/", "app.py"]


@pytest.mark.parametrize(
    ("document", "block"),
    [
        pytest.param(document, block, id=f"{named(document)}-line-{block.line}")
        for document in DOCUMENTS
        for block in document.blocks
        if block.language == "python" and document.path.name != GUIDE.path.name  # whose examples are run
    ],
)
def test_every_example_imports_what_there_is(document: Document, block: Block) -> None:
    for node in ast.walk(ast.parse(block.code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in {
            "demo",
            "models",
            "tests",
        }:
            module = importlib.import_module(node.module or "")
            missing = [alias.name for alias in node.names if not hasattr(module, alias.name)]
            assert missing == [], f"{node.module} has no {missing}"


def test_the_readme_is_short() -> None:
    assert len(README.body.split()) <= MOST_WORDS


def test_the_example_of_the_readme_prints_what_stands_there() -> None:
    (example,) = (block for block in README.blocks if block.language == "python")
    with redirect_stdout(StringIO()) as printed:
        exec(compile(example.code, str(README.path), "exec"), {})
    assert printed.getvalue() == example.printed != ""


def test_the_readme_lists_every_shipped_checkpoint() -> None:
    rows = re.findall(r"^\| \[`([\w-]+)`\]", README.text, re.M)
    assert sorted(rows) == sorted(path.parent.name for path in (ROOT / "checkpoints").glob("*/config.json"))


def test_every_guide_can_be_reached_from_the_readme() -> None:
    waiting, reached = [README.path], {README.path}
    while waiting:
        document = Document(waiting.pop())
        found = {(document.path.parent / link.partition("#")[0]).resolve() for link in document.links()}
        fresh = {path for path in found - reached if path.suffix == ".md" and path.is_file()}
        waiting, reached = [*waiting, *fresh], reached | fresh
    assert {document.path for document in DOCUMENTS} <= reached


def test_every_picture_is_small_and_shown() -> None:
    shown = {(each.path.parent / link).resolve() for each in DOCUMENTS for link in each.links()}
    pictures = {path for path in (ROOT / "docs" / "images").iterdir() if path.suffix != ".py"}
    assert pictures <= shown
    assert [path for path in pictures if path.stat().st_size > LARGEST_PICTURE] == []


@pytest.mark.parametrize(("path", "name"), SECTIONS, ids="-".join)
def test_a_table_says_what_the_code_says(path: str, name: str) -> None:
    written = Document(ROOT / path).marked(name)
    assert written == SECTIONS[path, name](), f"{path} is old: `make docs` writes it anew"


def test_the_drawing_names_rooms_that_there_are() -> None:
    drawing = (ROOT / "docs" / "images" / "architecture.svg").read_text(encoding="utf-8")
    rooms = re.findall(r">((?:demo|models)\.[\w.]+)<", drawing)
    assert len(rooms) > 10
    assert [name for name in rooms if not is_module_or_member(name)] == []
