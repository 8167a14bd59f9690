"""Helpers for JSON payloads: rounded numbers, tables, and shares as bytes."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Sequence
from inspect import get_annotations
from operator import attrgetter
from typing import Any

from models.decoding.record_json import as_json, without_infinity

try:
    import orjson
except ImportError:  # in a browser, whose JSON need not be as fast
    orjson = None  # type: ignore[assignment]

DIGITS = 6  # decimals: the rounded steps of a path still add up to its rounded total
BYTE = 255  # a share of 1 as an unsigned 8-bit integer

Table = dict[str, tuple[Any, ...]]  # one list per field


def json_text(content: Any) -> str:
    """The shortest JSON text, in which `<` never occurs, so that it may stand in a script element.

    NaN and infinity become null. Raises TypeError for types that JSON does not have.
    """
    return _text(content).replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _text(content: Any) -> str:
    """JSON text; the standard library's searches for infinities only if there are any."""
    if orjson is not None:
        return orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    options: dict[str, Any] = {"ensure_ascii": False, "separators": (",", ":"), "default": as_json}
    try:
        return json.dumps(content, allow_nan=False, **options)
    except ValueError:
        return json.dumps(without_infinity(content), **options)


def round_finite(value: float | None) -> float | None:
    """A number for a table; None for an infinity or NaN, which JSON cannot express."""
    return None if value is None or not math.isfinite(value) else round(value, DIGITS)


def significant(value: float | None, digits: int) -> float | None:
    """A number for a curve, rounded to significant digits; None for an infinity or NaN."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.{digits}g}")


def table(kind: type, records: Iterable[Any]) -> Table:
    """Records of one kind as a list for each field, so that a field's name is written only once."""
    names = list(get_annotations(kind))
    columns = zip(*map(attrgetter(*names), records), strict=True)
    return dict.fromkeys(names, ()) | dict(zip(names, columns, strict=False))  # no columns: no records


def packed_shares(shares: Sequence[float]) -> str:
    """Numbers from 0 to 1 as bytes in base64: a third of the length of decimals, and finer than a colour."""
    levels = (min(max(share, 0.0), 1.0) if math.isfinite(share) else 0.0 for share in shares)
    return base64.b64encode(bytes(round(BYTE * level) for level in levels)).decode("ascii")
