"""The body of a call, parsed as Gradio will parse it, and refused with a sentence where Gradio would fail."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NoReturn

from starlette.datastructures import Headers

JSON_TYPE = re.compile(r"application/([a-z0-9.+-]+\+)?json", re.ASCII)
MAX_NESTING = 100  # nested lists and objects; Gradio fails at some 250, and our pages nest fewer than 20
# Numbers, texts, lists and objects in one body. Gradio visits each several times while all requests wait,
# which takes seconds for as many as fit a megabyte; a call of the page has 40, one to `/evaluate` 500.
MAX_VALUES = 10_000
JSON_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)  # an unclosed text matches, too
BRACKET = re.compile(rb"[][{}]")
SURROGATE = b"\\ud"  # JSON escape of half a character, in lower case
TOO_LARGE = "The body has a number that is too large."
OBJECT = "The body must be a JSON object."


class UnfitBodyError(ValueError):
    """A malformed body; the message says what is wrong."""


def read_body(headers: Headers, body: bytes) -> dict[str, object]:
    """The JSON object that a call sends. Raises UnfitBodyError."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if not JSON_TYPE.fullmatch(kind):
        raise UnfitBodyError("The request must state the type of its body: Content-Type: application/json.")
    if _has_many_values(body):
        raise UnfitBodyError(f"The body has more than {MAX_VALUES:,} values, which is too many.")
    if _is_too_deep(body):
        raise UnfitBodyError(
            f"The body nests lists and objects more than {MAX_NESTING} levels deep, which is too deep."
        )
    try:
        value = json.loads(body, parse_constant=_refuse_number, parse_float=_finite, parse_int=_whole)
    except UnfitBodyError:
        raise
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise UnfitBodyError(OBJECT)
    if any(_is_odd_file(item) for level in _levels(value) for item in level):
        raise UnfitBodyError("The meta of a file in the body must be an object.")
    if SURROGATE in body.lower() and not _is_text(value):
        raise UnfitBodyError(
            "The body has a string with an unpaired surrogate, which is not a Unicode character."
        )
    return value


def _has_many_values(body: bytes) -> bool:
    """Whether a body of JSON holds more than MAX_VALUES, without reading it."""
    if _marks(body) <= MAX_VALUES:
        return False
    # Each value has at most one key, and each text two unescaped quotation marks.
    if body.count(b'"') - body.count(b'\\"') > 4 * MAX_VALUES:
        return True
    return _marks(JSON_STRING.sub(b"", body)) > MAX_VALUES


def _is_too_deep(body: bytes) -> bool:
    """Whether a body of JSON nests more than MAX_NESTING levels, without reading it, which would recurse."""
    if body.count(b"[") + body.count(b"{") <= MAX_NESTING:
        return False
    brackets = BRACKET.findall(JSON_STRING.sub(b"", body))
    return max(accumulate(1 if bracket in b"[{" else -1 for bracket in brackets)) > MAX_NESTING


def _marks(body: bytes) -> int:
    """An upper bound of the number of values, exact unless texts contain these characters."""
    return sum(map(body.count, (b",", b"[", b"{")))


def _refuse_number(name: str) -> NoReturn:
    raise UnfitBodyError(f"{name} is not a JSON number.")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise UnfitBodyError(TOO_LARGE)
    return number


def _whole(digits: str) -> int:
    number = int(digits)  # a ValueError for thousands of digits
    if not -(1 << 63) <= number < 1 << 64:  # Gradio could not send it back
        raise UnfitBodyError(TOO_LARGE)
    return number


def _levels(value: object) -> Iterator[list[Any]]:
    """Yield the nested lists and objects, level by level."""
    level = [value]
    while inner := [item for item in level if isinstance(item, list | dict)]:
        yield inner
        level = [one for item in inner for one in (item.values() if isinstance(item, dict) else item)]


def _is_odd_file(value: object) -> bool:
    """Whether Gradio would take the value for a file and fail at its `meta`."""
    return isinstance(value, dict) and "path" in value and not isinstance(value.get("meta", {}), dict)


def _is_text(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
