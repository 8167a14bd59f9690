"""The progress of a download, as lines on a terminal."""

from __future__ import annotations

from typing import TextIO

_LINE_EVERY_SHARE, _LINE_EVERY_BYTES = 0.25, 5_000_000  # bytes: if the size is unknown


class ProgressLines:
    """Writes a line at the beginning of a file, at each quarter or 5 MB, and at the end."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._last_stage: dict[str, int] = {}

    def __call__(self, name: str, done: int, total: int | None) -> None:
        """Report `done` of `total` bytes of the file `name`; `total` is None if unknown."""
        stage = int(done / total / _LINE_EVERY_SHARE) if total else done // _LINE_EVERY_BYTES
        if self._last_stage.get(name) == stage:
            return
        self._last_stage[name] = stage
        total_text = f" of {total / 1e6:.1f}" if total else ""
        self.stream.write(f"{name}: {done / 1e6:.1f}{total_text} MB\n")
        self.stream.flush()
