"""What several figures and sentences need of one trace, computed once."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from models.decoding.trace import DecodingTrace

Found = TypeVar("Found")


def per_trace(compute: Callable[[DecodingTrace], Found]) -> Callable[[DecodingTrace], Found]:
    """`compute`, whose result is kept for as long as its trace lives.

    By identity: to compare two traces takes as long as to compute most things.
    """
    kept: dict[int, tuple[weakref.ref[DecodingTrace], Found]] = {}

    @wraps(compute)
    def once(trace: DecodingTrace) -> Found:
        key = id(trace)
        result = kept.get(key)
        if result is None or result[0]() is not trace:
            gone = weakref.ref(trace, lambda _: kept.pop(key, None))
            kept[key] = result = (gone, compute(trace))
        return result[1]

    return once
