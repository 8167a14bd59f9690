"""The cache drops what was used longest ago."""

from __future__ import annotations

import pytest

from models.lru_cache import LruCache


def test_the_least_recently_used_value_is_dropped_first() -> None:
    cache: LruCache[str, str] = LruCache(2)
    made_keys: list[str] = []

    def get(key: str) -> str:
        return cache.get_or_make(key, lambda: made_keys.append(key) or key.upper())

    assert [get(key) for key in "abacab"] == list("ABACAB")
    assert made_keys == ["a", "b", "c", "b"]
    assert len(cache) == 2


def test_reading_and_writing_count_as_use() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache["a"], cache["b"] = 1, 2
    assert cache.get("a") == 1
    cache["c"] = 3
    assert (cache.get("a"), cache.get("b")) == (1, None)
    cache["a"] = 4
    cache["d"] = 5
    assert "c" not in cache
    assert cache.pop("a") == 4
    assert cache.pop("a") is None
    cache.clear()
    assert not len(cache)


def test_sizes_are_bounded_and_the_newest_value_stays() -> None:
    cache: LruCache[str, str] = LruCache(4, size=len)
    for text in ("aa", "bb", "c"):
        cache[text] = text
    assert ["aa" in cache, "bb" in cache, "c" in cache] == [False, True, True]
    cache["long"] = "longer than all"
    assert len(cache) == 1
    assert "long" in cache


def test_failures_are_not_cached() -> None:
    cache: LruCache[str, int] = LruCache(2)
    with pytest.raises(ZeroDivisionError):
        cache.get_or_make("a", lambda: 1 // 0)
    assert cache.get_or_make("a", lambda: 1) == 1


def test_of_two_simultaneous_values_the_first_is_kept() -> None:
    cache: LruCache[str, int] = LruCache(2)

    def make() -> int:
        cache["a"] = 1
        return 2

    assert cache.get_or_make("a", make) == 1
