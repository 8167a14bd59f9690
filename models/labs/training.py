"""Trainings of labs: their progress, the size of a result, and the default text, a novel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Progress(Generic[Result]):
    """The state of a training between two steps."""

    share: float  # share of the steps that are done, 0 to 1
    # Returns a copy of the result so far. It must be called before the next step.
    result: Callable[[], Result]


def memory_bytes(value: object) -> int:
    """Return about how many bytes a record takes: tensors, arrays, texts and numbers within it."""
    size = getattr(value, "nbytes", None)
    if isinstance(size, int):
        return size
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, Mapping):
        return sum(memory_bytes(key) + memory_bytes(item) for key, item in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return sum(map(memory_bytes, value))
    if is_dataclass(value):
        return sum(memory_bytes(getattr(value, field.name)) for field in fields(value))
    return 32  # a number with its pointer


@cache
def novel() -> str:
    """Return the whole novel, about 141,000 characters.

    Lewis Carroll, Alice's Adventures in Wonderland (1865), in the public domain, as Project Gutenberg
    publishes it (Millennium Fulcrum Edition 2.9). Titles, ornaments and notes are left out; a line is a
    paragraph; quotation marks are plain.
    """
    return Path(__file__).with_name("alice.txt").read_text(encoding="utf-8")
