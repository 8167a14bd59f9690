"""The progress of a download, as lines on a terminal."""

from __future__ import annotations

from typing import TextIO

_SHARE, _BYTES = 0.25, 5_000_000  # after which there is something new to say


class ProgressLines:
    """Writes a line at the beginning of a file, at each quarter or 5 MB, and at the end."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._said: dict[str, int] = {}

    def __call__(self, name: str, done: int, total: int | None) -> None:
        """Report `done` of `total` bytes of the file `name`; `total` is None if unknown."""
        stage = int(done / total / _SHARE) if total else done // _BYTES
        if self._said.get(name) == stage:
            return
        self._said[name] = stage
        of = f" of {total / 1e6:.1f}" if total else ""
        self.stream.write(f"{name}: {done / 1e6:.1f}{of} MB\n")
        self.stream.flush()
