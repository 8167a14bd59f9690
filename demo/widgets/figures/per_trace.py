"""A cache of values computed from a trace, for several figures and sentences."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from models.decoding.trace import DecodingTrace

Result = TypeVar("Result")


def per_trace(compute: Callable[[DecodingTrace], Result]) -> Callable[[DecodingTrace], Result]:
    """Return `compute` with a cache, which keeps each result as long as its trace lives.

    The key is the trace's identity, since comparing two traces takes as long as most computations.
    """
    results: dict[int, tuple[weakref.ref[DecodingTrace], Result]] = {}

    @wraps(compute)
    def once(trace: DecodingTrace) -> Result:
        key = id(trace)
        result = results.get(key)
        if result is None or result[0]() is not trace:
            gone = weakref.ref(trace, lambda _: results.pop(key, None))
            results[key] = result = (gone, compute(trace))
        return result[1]

    return once
