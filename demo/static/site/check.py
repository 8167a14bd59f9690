"""Checks a written folder: its links, its licences and its sizes, and that it fetches from no other site."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

from demo.static.site.folder import IMPORT, LIST
from models.sizes import size_text

# The files that a browser fetches before it shows the first result, beside the example of one checkpoint.
FIRST_SCREEN = ("index.html", "scripts", "fonts", "texts/en/page.json", "texts/en/style.css")
MAX_FIRST_BYTES = 1_000_000  # packed
LINKED_ADDRESS = re.compile(r"""(?:src|href)="([^"#]+)"|url\('([^')]+)'\)""")
# What a browser would fetch by itself. Addresses in texts and comments are only shown.
FETCHED_ADDRESS = re.compile(
    r"""(?:src|href|action)="(https?:|//)|url\(['"]?(?:https?:|//)|@import ["'u]|fetch\(["'`]https?:"""
)


def problems(folder: Path) -> list[str]:
    """A sentence for each fault of the folder."""
    if not (folder / "index.html").is_file():
        return [f"{folder} has no index.html: write the folder first."]
    checks = (_missing, _elsewhere, _licence_problems, _list_problems, _heavy)
    return [problem for check in checks for problem in check(folder)]


def _read(folder: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".html", ".js", ".css"} and path.name not in {"plotly.min.js", "exported.html"}:
            yield path, path.read_text(encoding="utf-8")


def _missing(folder: Path) -> Iterator[str]:
    for path, text in _read(folder):
        named = IMPORT.findall(text) if path.suffix == ".js" else map("".join, LINKED_ADDRESS.findall(text))
        for name in named:
            if ":" not in name and "${" not in name and not (path.parent / name).is_file():
                yield f"{path.relative_to(folder)} names {name}, which is not there."


def _elsewhere(folder: Path) -> Iterator[str]:
    for path, text in _read(folder):
        for match in FETCHED_ADDRESS.finditer(text):
            yield f"{path.relative_to(folder)} fetches from another address: {match[0]}"


def _licence_problems(folder: Path) -> Iterator[str]:
    if not (folder / "LICENSE").is_file():
        yield "The folder has no LICENSE."
    for checkpoint in sorted((folder / "checkpoints").iterdir()):
        card = checkpoint / "README.md"
        if not card.is_file() or "\nlicense: " not in card.read_text(encoding="utf-8"):
            yield f"The card of {checkpoint.name} names no licence."


def _list_problems(folder: Path) -> Iterator[str]:
    entries = json.loads((folder / LIST).read_text(encoding="utf-8"))
    for name, (_, size) in entries.items():
        path = folder / name
        if not path.is_file() or path.stat().st_size != size:
            yield f"{name} is not as {LIST} lists it."


def _heavy(folder: Path) -> Iterator[str]:
    size = _first_bytes(folder)
    if size > MAX_FIRST_BYTES:
        yield f"The first screen has {size:,} bytes; at most {MAX_FIRST_BYTES:,} are allowed."


def report(folder: Path) -> str:
    """The sizes of the parts, and the packed size of what the first visit needs."""
    names = sorted(path.name for path in folder.iterdir())
    lines = [f"{name:24} {size_text(sum(map(_size, _files(folder / name)))):>10}" for name in names]
    lines.append(f"{'first screen, packed':24} {size_text(_first_bytes(folder)):>10}")
    return "\n".join([*lines, ""])


def _first_bytes(folder: Path) -> int:
    """The bytes of the first screen in English, packed by gzip where that is useful."""
    examples = sorted((folder / "checkpoints").glob("*/drawn.en.json"), key=_size)
    parts = [file for name in FIRST_SCREEN for file in _files(folder / name)]
    return sum(_packed_size(file) for file in [*parts, *examples[-1:]])


def _files(path: Path) -> Iterator[Path]:
    yield from (path,) if path.is_file() else (file for file in path.rglob("*") if file.is_file())


def _size(path: Path) -> int:
    return path.stat().st_size


def _packed_size(path: Path) -> int:
    return _size(path) if path.suffix == ".woff2" else len(gzip.compress(path.read_bytes()))
