"""The body of a call, read as Gradio will read it, and refused in a sentence where Gradio would stumble."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from starlette.datastructures import Headers

JSON_TYPE = re.compile(r"application/([a-z0-9.+-]+\+)?json", re.ASCII)
DEEPEST = 100  # lists and objects in each other; Gradio gives up at some 250, and no page of ours has 20
# Of numbers, texts, lists and objects in one body: Gradio looks at each several times while all wait, which
# takes seconds for those that a megabyte can hold; a call of the page has 40, one to `/evaluate` 500.
MOST_VALUES = 10_000
TEXT = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)  # one that is never closed is one match, too
SURROGATE = b"\\ud"  # how JSON spells half a character, in either case
OBJECT = "The body must be a JSON object."


class UnfitBodyError(ValueError):
    """A body that no page and no client of ours sends; the message says why."""


def read_body(headers: Headers, body: bytes) -> dict[str, object]:
    """The JSON object that a call sends. Raises UnfitBodyError."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if not JSON_TYPE.fullmatch(kind):
        raise UnfitBodyError("Say what the body is: Content-Type: application/json.")
    if _has_many_values(body):
        raise UnfitBodyError(f"The body holds more than {MOST_VALUES:,} values; nothing here takes that.")
    try:
        given = json.loads(body, parse_constant=_refuse_number, parse_float=_finite)
    except UnfitBodyError:
        raise
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise UnfitBodyError(OBJECT)
    if body.count(b"[") + body.count(b"{") > DEEPEST and len(list(_levels(given))) > DEEPEST:
        raise UnfitBodyError(
            f"More than {DEEPEST} lists and objects lie in each other; nothing here takes that."
        )
    if any(_is_odd_file(item) for level in _levels(given) for item in level):
        raise UnfitBodyError("A file of the body must have an object as its meta.")
    if SURROGATE in body.lower() and not _is_text(given):
        raise UnfitBodyError("A text of the body has half a character, which is none of Unicode.")
    return given


def _has_many_values(body: bytes) -> bool:
    """Whether a body of JSON holds more than MOST_VALUES, without reading it."""
    if _marks(body) <= MOST_VALUES:
        return False
    # Each value brings at most one key, each text two quotation marks that no backslash hides.
    if body.count(b'"') - body.count(b'\\"') > 4 * MOST_VALUES:
        return True
    return _marks(TEXT.sub(b"", body)) > MOST_VALUES


def _marks(body: bytes) -> int:
    """At least as many as values, where no text holds any of these."""
    return sum(map(body.count, (b",", b"[", b"{")))


def _refuse_number(name: str) -> NoReturn:
    raise UnfitBodyError(f"{name} is no number that JSON knows.")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise UnfitBodyError("A number of the body is too large.")
    return number


def _levels(value: object) -> Iterator[list[Any]]:
    """The lists and objects that lie in each other, level by level."""
    level = [value]
    while inner := [item for item in level if isinstance(item, list | dict)]:
        yield inner
        level = [one for item in inner for one in (item.values() if isinstance(item, dict) else item)]


def _is_odd_file(value: object) -> bool:
    """Whether it is like a file to Gradio, which then stumbles at what stands for its kind."""
    return isinstance(value, dict) and "path" in value and not isinstance(value.get("meta", {}), dict)


def _is_text(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
