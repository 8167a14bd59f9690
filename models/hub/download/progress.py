"""The progress of a download from the Hub."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

STAGES = ("waiting", "looking", "downloading", "checking", "converting", "trying")


@dataclass(frozen=True)
class DownloadProgress:
    """The progress at one moment."""

    stage: str  # one of STAGES
    done: int = 0  # bytes that have come
    total: int = 0  # bytes that will; 0 before the Hub was asked


Report = Callable[[DownloadProgress], None]
