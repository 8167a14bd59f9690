"""Labs of the course, one file each: whatever file of this folder holds a `LAB` is offered everywhere."""

from __future__ import annotations

from functools import cache

from demo.labs.lab import Lab
from models.discovery import discover


@cache
def labs() -> tuple[Lab, ...]:
    """Return all of them by position."""
    return tuple(sorted(discover(__name__, Lab), key=lambda lab: lab.position))
