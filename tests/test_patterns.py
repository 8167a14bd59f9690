"""Regular expressions that read what strangers send: none tries a text again from each of its characters."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Sequence
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import demo.links
import demo.server
import demo.work.requests
import models.corpus
import models.decoding
import models.tokenization
import models.training.recipe

READERS = (
    demo.links,
    demo.work.requests,
    demo.server,
    models.corpus,
    models.decoding,
    models.tokenization,
    models.training.recipe,
)
REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)
CHARACTERS = [*map(chr, range(128)), "é", "Я", "中"]
MANY = 100  # more repetitions count as without end


def _patterns() -> Iterator[tuple[str, str, int]]:
    """The compiled patterns of all modules of the readers: a name, the pattern, its flags."""
    for package in READERS:
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if info.name.endswith("__main__"):
                continue
            for name, value in vars(importlib.import_module(info.name)).items():
                if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
                    yield f"{info.name}.{name}", value.pattern, value.flags & ~re.UNICODE


def _matching(item: Any, state: Any) -> frozenset[str]:
    """The characters that a part of a pattern matches, each alone."""
    part = _parser.SubPattern(state, [item])
    pattern = _compiler.compile(part, state.flags)
    return frozenset(filter(pattern.fullmatch, CHARACTERS))


def _inner(item: Any) -> Iterator[Any]:
    """The sequences within a part of a pattern."""
    for value in item[1] if isinstance(item[1], Sequence) else ():
        if isinstance(value, _parser.SubPattern):
            yield value
        elif isinstance(value, list):
            yield from (branch for branch in value if isinstance(branch, _parser.SubPattern))


def repeats_twice(sequence: Any) -> str:
    """A character that two neighbouring endless repeats both match; "" if there is none.

    With n of it in a row before a failure, a search tries each of the n places between the two.
    """
    for start, item in enumerate(sequence):
        common = frozenset[str]()
        if item[0] in REPEATS and item[1][1] > MANY:
            common = _matching(item, sequence.state)
        for other in sequence[start + 1 :] if common else ():
            matched = _matching(other, sequence.state)
            if other[0] in REPEATS and other[1][1] > MANY and common & matched:
                return min(common & matched)
            is_optional = other[0] in REPEATS and other[1][0] == 0
            common = common if is_optional else common & _repeatable(other, sequence.state)
    return next(filter(None, (repeats_twice(inner) for item in sequence for inner in _inner(item))), "")


def _repeatable(item: Any, state: Any) -> frozenset[str]:
    """The characters of which some in a row match a part of a pattern."""
    pattern = _compiler.compile(_parser.SubPattern(state, [item]), state.flags)
    return frozenset(char for char in CHARACTERS if any(pattern.fullmatch(char * n) for n in range(5)))


@pytest.mark.slow
def test_no_pattern_of_a_reader_repeats_the_same_characters_twice() -> None:
    repeats = {
        name: character
        for name, pattern, flags in _patterns()
        if (character := repeats_twice(_parser.parse(pattern, flags)))
    }
    assert repeats == {}


@pytest.mark.parametrize("pattern", [r"\d*[.,]?\d+x", r"^[ |:-]*-{3}[ |:-]*$", r"(\s*,?\s*)x", r"a|b+b*c"])
def test_such_a_pattern_is_found(pattern: str) -> None:
    assert repeats_twice(_parser.parse(pattern))


@pytest.mark.parametrize("pattern", [r"\d+([.,]\d+)?x", r"^[ |:-]+$", r"\s*,\s*x", r"a+|a+", r"\w+ \w+"])
def test_other_patterns_are_not_found(pattern: str) -> None:
    assert not repeats_twice(_parser.parse(pattern))
