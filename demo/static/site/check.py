"""Checks a written folder: its links, its licences and its sizes, and that nothing lies on another site."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from demo.static.site.folder import LIST
from demo.static.site.report import first_bytes
from demo.static.site.scripts import IMPORT

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
    size = first_bytes(folder)
    if size > MAX_FIRST_BYTES:
        yield f"The first screen has {size:,} bytes; at most {MAX_FIRST_BYTES:,} are allowed."
