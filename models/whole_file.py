"""Files that are replaced at once: a reader finds the old content or the new, even after a crash."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path


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
