"""Gzip within limits."""

from __future__ import annotations

import gzip
import tracemalloc
from typing import Any

import pytest

from models.corpus.files import encoding
from models.corpus.files.encoding import unpack
from models.corpus.pairs import DataError
from tests.refusals import refused

LINES = b"Hola.\tHello.\n" * 1000


@pytest.mark.parametrize("content", [LINES, b""])
def test_unpacking_returns_the_packed_content(content: bytes) -> None:
    assert unpack(gzip.compress(content), "a.gz", 20_000) == content


def test_members_are_joined_and_padding_is_ignored() -> None:
    packed = gzip.compress(LINES) + gzip.compress(b"", mtime=0) + gzip.compress(b"end", mtime=0) + b"\0" * 512
    assert unpack(packed, "a.gz", 20_000) == LINES + b"end"


def test_the_limit_itself_is_allowed() -> None:
    assert len(unpack(gzip.compress(b"x" * 3_000_000), "a.gz", 3_000_000)) == 3_000_000
    with refused(DataError, "unpacks_too_large", "a.gz", 3):
        unpack(gzip.compress(b"x" * 3_000_001), "a.gz", 3_000_000)


@pytest.mark.slow
def test_a_bomb_is_not_unpacked() -> None:
    bomb = gzip.compress(b"\0" * 300_000_000, compresslevel=1)
    tracemalloc.start()
    try:
        with refused(DataError, "unpacks_too_large", 5):
            unpack(bomb, "bomb.gz", 5_000_000)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("length", [3, 12, 30, -1, -8])
def test_an_archive_that_is_cut_off_is_refused(length: int) -> None:
    with refused(DataError, "gzip_cut_off", "a.gz"):
        unpack(gzip.compress(LINES)[:length], "a.gz", 20_000)


@pytest.mark.parametrize("position", [12, -6])  # in the data, in the checksum
def test_a_damaged_archive_is_refused(position: int) -> None:
    packed = bytearray(gzip.compress(LINES))
    packed[position] ^= 255
    with refused(DataError, "gzip_damaged", "a.gz"):
        unpack(bytes(packed), "a.gz", 20_000)


def test_an_archive_is_not_copied_for_each_of_its_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million members fit into an upload, and unpacking them delayed other visitors for minutes."""
    decompressobj, sizes = encoding.zlib.decompressobj, []

    class CountingDecompressor:
        """A zlib object that counts the bytes it gets."""

        def __init__(self, bits: int) -> None:
            self._member = decompressobj(bits)

        def decompress(self, content: bytes, most: int) -> bytes:
            sizes.append(len(content))
            return self._member.decompress(content, most)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._member, name)

    monkeypatch.setattr(encoding.zlib, "decompressobj", CountingDecompressor)
    assert unpack(gzip.compress(b"ab", mtime=0) * 5_000, "a.gz", 20_000) == b"ab" * 5_000
    assert sum(sizes) <= 5_000 * 2 * 4_096
