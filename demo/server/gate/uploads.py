"""Uploaded files on the disk: each address has a share of it, and loses its oldest file to its newest."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

FILES_OF_ONE = 5  # files of the largest size that one address may have
MIN_FILE_BYTES = 1 << 16  # a smaller file counts as much, so that nobody has too many
SPARE_DISK_BYTES = 1 << 30  # bytes of the disk that uploads leave free; they are stored for an hour or two


class _File(NamedTuple):
    address: str  # the last that sent it: Gradio stores a content once
    size: int


class Uploads:
    """The files that visitors have sent, the oldest first."""

    def __init__(self, largest: int, spare_disk: int = SPARE_DISK_BYTES) -> None:
        """`largest` is the most bytes of one file."""
        self._share, self._spare_disk = FILES_OF_ONE * largest, spare_disk
        self._files: dict[str, _File] = {}

    def note(self, address: str, answer: bytes) -> None:
        """Note the files of an answer to an upload, and drop the oldest ones of an address over its share."""
        for path in _paths(answer):
            self._files.pop(path, None)
            with suppress(OSError):
                self._files[path] = _File(address, max(Path(path).stat().st_size, MIN_FILE_BYTES))
        while self._bytes()[address] > self._share:
            self._drop_oldest(address)

    def has_room(self, address: str) -> bool:
        """Whether the disk has room for a file. To make some, the address with the most loses its oldest."""
        while free_disk() < self._spare_disk:
            ranked = self._bytes().most_common(1)
            if not ranked or ranked[0][1] <= max(self._bytes()[address], MIN_FILE_BYTES):
                return False
            self._drop_oldest(ranked[0][0])
        return True

    def _bytes(self) -> Counter[str]:
        sizes = Counter[str]()
        for file in self._files.values():
            sizes[file.address] += file.size
        return sizes

    def _drop_oldest(self, address: str) -> None:
        path = next(path for path, file in self._files.items() if file.address == address)
        del self._files[path]
        with suppress(OSError):  # Gradio has deleted it already, or its folder has other files
            Path(path).unlink(missing_ok=True)
            Path(path).parent.rmdir()


def free_disk() -> int:
    """The free bytes of the disk that holds uploads."""
    return shutil.disk_usage(tempfile.gettempdir()).free


def _paths(answer: bytes) -> Iterator[str]:
    """The paths in Gradio's answer to an upload; none in a refusal."""
    with suppress(ValueError):
        paths = json.loads(answer)
        yield from (path for path in paths if isinstance(path, str)) if isinstance(paths, list) else ()
