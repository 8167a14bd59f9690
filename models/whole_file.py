"""Files that are replaced at once: whoever reads finds the old content or the new, also after a crash."""

from __future__ import annotations

import errno
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: str | bytes, writer: str = "") -> None:
    """Replace a file; a full disk leaves what was there, and a killed process a `.partial` file beside it.

    Of two that write one file at once each has a `writer` of its own. Raises OSError.
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
    """Whether a file could not be written for want of room, on the disk or of a quota."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
