"""Sizes in bytes: as texts in decimal units, and those of folders."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def size_text(count: float) -> str:
    """Format bytes for people: "16 kB", "9.4 MB", "312 MB", "2.5 GB"."""
    if count < 999_500:
        return f"{max(1, round(count / 1e3))} kB"
    if count < 999.5e6:
        return f"{count / 1e6:.{1 if count < 9.95e6 else 0}f} MB"
    return f"{count / 1e9:.1f} GB"


def folder_bytes(folder: Path) -> int:
    """The size of all files in a folder, in which others may write, move and delete meanwhile."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.stat(os.path.join(parent, name)).st_size
    return total
