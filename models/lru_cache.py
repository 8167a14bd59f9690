"""A cache of bounded size that drops the least recently used values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import RLock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """Values by key. Safe to use from several threads.

    Reading and writing a value both count as use. The value written last stays, however large.
    """

    def __init__(self, limit: float, size: Callable[[Value], float] | None = None) -> None:
        """`size` measures a value in the unit of `limit`; without it each value counts as 1."""
        self._limit, self._size, self._lock = limit, size, RLock()
        self._values: OrderedDict[Key, Value] = OrderedDict()  # the least recently used first

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def get(self, key: Key) -> Value | None:
        """The value of a key, or None."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def __setitem__(self, key: Key, value: Value) -> None:
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > 1 and self._total() > self._limit:
                self._values.popitem(last=False)

    def get_or_make(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key; if it is missing, `make` makes it. If two threads do so, the first counts."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            if key not in self._values:
                self[key] = value
            return self._values[key]

    def pop(self, key: Key) -> Value | None:
        """Remove a key, and return its value or None."""
        with self._lock:
            return self._values.pop(key, None)

    def clear(self) -> None:
        """Remove all values."""
        with self._lock:
            self._values.clear()

    def _total(self) -> float:
        return len(self._values) if self._size is None else sum(map(self._size, self._values.values()))
