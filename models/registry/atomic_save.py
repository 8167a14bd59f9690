"""Files of a checkpoint, replaced together. The next reader completes an interrupted save."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from models.whole_file import read_bytes


def write_together(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write all files or none: the old ones are replaced when all new ones are written.

    The index is replaced last, so its partial file is the last to disappear. It is a JSON object whose
    `sha256` has the digests of the other files. Raises OSError.
    """
    partials = {file: _partial(folder, file) for file in contents}
    try:
        for file, partial in partials.items():
            partial.write_bytes(contents[file])
    except OSError:
        for partial in partials.values():
            with suppress(OSError):
                partial.unlink()
        raise
    for file, partial in partials.items():
        with suppress(FileNotFoundError):  # a reader may have completed the save
            partial.replace(folder / file)


def finish(folder: Path, index: str) -> bool:
    """Complete the save of a killed process, if it wrote all its files. Return whether there was one."""
    try:
        digests: Mapping[str, str] = json.loads(read_bytes(_partial(folder, index)))["sha256"]
        waiting = [file for file in digests if sha256(_bytes(folder / file)) != digests[file]]
        if any(sha256(_bytes(_partial(folder, file))) != digests[file] for file in waiting):
            return False
        for file in (*waiting, index):
            _partial(folder, file).replace(folder / file)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False
    return True


def sha256(content: bytes) -> str:
    """The digest of a file, in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _bytes(path: Path) -> bytes:
    return read_bytes(path, path.stat().st_size) if path.exists() else b""


def _partial(folder: Path, file: str) -> Path:
    return folder / f"{file}.partial"
