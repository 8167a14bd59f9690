"""Files that are replaced at once, alone or together: a reader finds the old or the new, even after a crash.

A reader waits for nothing: a pipe or a device in the place of a file is refused.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from io import StringIO
from pathlib import Path

MAX_RECORD_BYTES = 4 << 20  # the most bytes of a file that is read as a whole, such as a status or a recipe
NO_WAITING = getattr(os, "O_NONBLOCK", 0)  # Windows has no pipes among its files


def opener(path: str, flags: int) -> int:
    """The `opener` of `open` for regular files alone. Raises OSError."""
    number = os.open(path, flags | NO_WAITING, 0o666)
    mode = os.fstat(number).st_mode
    if stat.S_ISREG(mode):
        return number
    os.close(number)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise OSError(errno.EINVAL, "it is not a regular file", path)


def read_bytes(path: Path, most: int = MAX_RECORD_BYTES) -> bytes:
    """The content of a regular file. Raises OSError, also for one of more than `most` bytes."""
    with open(path, "rb", opener=opener) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise OSError(errno.EINVAL, f"it has more than {most:,} bytes", str(path))
        return file.read(size)  # Python allocates what is asked for, however short the file is


def read_text(path: Path, most: int = MAX_RECORD_BYTES, encoding: str = "utf-8") -> str:
    """The `read_bytes` of a text, with the line ends of all systems. Raises OSError, UnicodeDecodeError."""
    return StringIO(read_bytes(path, most).decode(encoding), newline=None).read()


def write_whole(path: Path, content: str | bytes, writer: str = "") -> None:
    """Replace a file. A full disk leaves the old content; a killed process may leave a `.partial` file.

    Two processes that write one file need different names for `writer`. Raises OSError.
    """
    partial = path.with_name(".".join(filter(None, (path.name, writer, "partial"))))
    try:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise


def disk_is_full(error: BaseException) -> bool:
    """Whether a file could not be written because the disk or a quota is full."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


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
