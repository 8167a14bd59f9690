"""The documents: their links and names lead somewhere, and their tables match the code."""

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
from tests.generated_docs import COMPUTED, SECTIONS
from tests.recipes import GUIDE, examples

DOCUMENTS = documents()
README = Document(ROOT / "README.md")
MAX_WORDS = 1_800  # in the README
ROUNDED = 0.011  # relative, and below 1 absolute, difference of a number between machines
NUMBER = re.compile(r"\d+(?:\.\d+)?")
LARGEST_PICTURE = 1_500_000  # bytes
# Files and folders of the project in backticks, and modules in backticks or after `-m`.
FILE = re.compile(r"`((?:demo|models|tests|docs|checkpoints)/[\w./*-]*|app\.py)`")
MODULE = re.compile(r"(?:python -m |-m |`)((?:demo|models|tests)(?:\.\w+)+)\b")


def named(document: Document) -> str:
    return document.path.relative_to(ROOT).as_posix()


every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=named)


@every_document
def test_every_link_has_a_target(document: Document) -> None:
    assert list(broken_links(document)) == []


def broken_links(document: Document) -> Iterator[str]:
    for link in document.links():
        file, _, anchor = link.partition("#")
        target = document.path.parent / file if file else document.path
        if not target.exists() or (anchor and anchor not in Document(target).anchors):
            yield link


# The changelog names files of earlier versions.
@pytest.mark.parametrize("document", [d for d in DOCUMENTS if d.path.stem != "CHANGELOG"], ids=named)
def test_every_file_and_module_that_is_named_exists(document: Document) -> None:
    written_by_recipes = {example.path for example in examples()}
    paths = {*FILE.findall(document.text)} - written_by_recipes
    files = {path for path in paths if not [*ROOT.glob(path.rstrip("/"))]}
    modules = {name for name in MODULE.findall(document.text) if not is_module_or_member(name)}
    assert (files, modules) == (set(), set())


def is_module_or_member(name: str) -> bool:
    """Whether a dotted name is a module of the project or a member of one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:end])
        if path.is_dir() or path.with_suffix(".py").is_file():
            return end == len(parts) or hasattr(importlib.import_module(".".join(parts[:end])), parts[end])
    return False


def test_a_broken_link_or_name_is_noticed(tmp_path: Path) -> None:
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
        if block.language == "python" and document.path.name != GUIDE.path.name  # its examples are run
    ],
)
def test_every_import_of_an_example_exists(document: Document, block: Block) -> None:
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
    assert len(README.body.split()) <= MAX_WORDS


def test_the_example_of_the_readme_prints_its_stated_output() -> None:
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
        targets = {(document.path.parent / link.partition("#")[0]).resolve() for link in document.links()}
        fresh = {path for path in targets - reached if path.suffix == ".md" and path.is_file()}
        waiting, reached = [*waiting, *fresh], reached | fresh
    assert {document.path for document in DOCUMENTS} <= reached


def test_every_picture_is_small_and_shown() -> None:
    linked = {(document.path.parent / link).resolve() for document in DOCUMENTS for link in document.links()}
    pictures = {path for path in (ROOT / "docs" / "images").iterdir() if path.suffix != ".py"}
    assert pictures <= linked
    assert [path for path in pictures if path.stat().st_size > LARGEST_PICTURE] == []


@pytest.mark.parametrize(("path", "name"), SECTIONS, ids=map(" ".join, SECTIONS))
def test_a_generated_table_is_up_to_date(path: str, name: str) -> None:
    table = Document(ROOT / path).marked(name)
    assert table == SECTIONS[path, name](), f"{path} is out of date: run `make docs`"


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize(("path", "name"), COMPUTED, ids=map(" ".join, COMPUTED))
def test_a_computed_section_is_up_to_date(path: str, name: str) -> None:
    """The words are the same, and every number is, but for the last digit that another machine may round."""
    stored, computed = Document(ROOT / path).marked(name), COMPUTED[path, name]()
    remedy = f"{path} is out of date: run `make docs`"
    assert NUMBER.sub("0", stored) == NUMBER.sub("0", computed), remedy
    for one, other in zip(NUMBER.findall(stored), NUMBER.findall(computed), strict=True):
        assert abs(float(one) - float(other)) <= ROUNDED * max(abs(float(other)), 1), remedy


def test_the_drawing_names_existing_packages() -> None:
    drawing = (ROOT / "docs" / "images" / "architecture.svg").read_text(encoding="utf-8")
    packages = re.findall(r">((?:demo|models)\.[\w.]+)<", drawing)
    assert len(packages) > 10
    assert [name for name in packages if not is_module_or_member(name)] == []
