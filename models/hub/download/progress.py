"""The progress of a download from the Hub."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

DOWNLOAD_STAGES = ("waiting", "looking", "downloading", "checking", "converting", "trying")


@dataclass(frozen=True)
class DownloadProgress:
    """The progress at one moment."""

    stage: str  # one of DOWNLOAD_STAGES
    done: int = 0  # bytes that have arrived
    total: int = 0  # bytes in all; 0 before the Hub has listed the files


Report = Callable[[DownloadProgress], None]
