"""The sizes of a folder, in lines for the terminal."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

from models.sizes import size_text

# The files that a browser fetches before it shows the first result, beside the example of one checkpoint.
FIRST_SCREEN = ("index.html", "scripts", "fonts", "texts/en/page.json", "texts/en/style.css")


def report(folder: Path) -> str:
    """The sizes of the parts, and the packed size of what the first visit needs."""
    names = sorted(path.name for path in folder.iterdir())
    lines = [f"{name:24} {size_text(sum(map(_size, _files(folder / name)))):>10}" for name in names]
    lines.append(f"{'first screen, packed':24} {size_text(first_bytes(folder)):>10}")
    return "\n".join([*lines, ""])


def first_bytes(folder: Path) -> int:
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
