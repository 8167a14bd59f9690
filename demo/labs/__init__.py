"""Labs of the course, a file or a folder each: the app offers every `LAB` that they hold."""

from __future__ import annotations

from functools import cache

from demo.labs.lab import Lab
from models.discovery import discover


@cache
def labs() -> tuple[Lab, ...]:
    """Return all of them by position."""
    return tuple(sorted(discover(__name__, Lab), key=lambda lab: lab.position))
