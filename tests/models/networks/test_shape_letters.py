"""The letters of tensor shapes: each package lists all that its files use, with one meaning each."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LISTS = {
    "models/networks": ["models/networks/base.py"],
    "models/decoding": ["models/networks/base.py", "models/decoding/search/__init__.py"],
}
LETTER = re.compile(r"(?<![\w'`])([A-Z]) [a-z]")  # "B sources of a batch"
SHAPE = re.compile(r"\(([^()]*,[^()]*)\)")
SIZE = re.compile(r"(?<![\w.`'])[A-Z](?![\w.`])")
TERM = r"(?:[A-Z]'?|\d+|[a-z_]+|\.\.\.)"
EXPRESSION = re.compile(rf"{TERM}(?: ?[*/+-] ?{TERM})*")  # "2 * D", "K / G", "size"


def letters_of(text: str) -> set[str]:
    """The letters of all shapes in a comment or docstring, such as R, T and D of "(R, T, 2 * D)"."""
    shapes = [match[1].split(",") for match in SHAPE.finditer(text)]
    sizes = [size.strip() for shape in shapes for size in shape]
    return {letter for size in sizes if EXPRESSION.fullmatch(size) for letter in SIZE.findall(size)}


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the text of each comment and of each string of several words."""
    for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and token.string[:3] == '"""'):
            yield token.start[0], token.string


@pytest.mark.parametrize("package", LISTS)
def test_every_letter_of_a_shape_is_in_the_list_of_its_package(package: str) -> None:
    letters = [
        letter
        for path in LISTS[package]
        for letter in LETTER.findall(next(texts_of(ROOT / path))[1].split("Shape letters", 1)[1])
    ]
    assert len(letters) > 8
    unlisted = [
        f"{path.relative_to(ROOT)}:{line}: {letter}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for line, text in texts_of(path)
        for letter in sorted(letters_of(text) - set(letters))
    ]
    assert not unlisted, unlisted


def test_the_letters_of_shapes_are_recognised() -> None:
    assert letters_of("outputs (R, T, 2 * D) and (B', L, D/H), or one (see A, which is none)") == set(
        "RTDBLH"
    )
    assert letters_of("# (..., N) of N things") == {"N"}
    assert not letters_of("Bahdanau (2015, section A) and (Vaswani et al. 2017, appendix B)")
