"""Views of Inspect, one file each: whatever file of this folder holds a `VIEW` is offered everywhere."""

from __future__ import annotations

from functools import cache

from demo.inspect.view import InspectView
from models.discovery import discover


@cache
def inspect_views() -> tuple[InspectView, ...]:
    """Return all of them by position."""
    return tuple(sorted(discover(__name__, InspectView), key=lambda view: view.position))
