"""Views of Inspect, a file or a folder each: the app offers every `VIEW` that they hold."""

from __future__ import annotations

from functools import cache

from demo.inspect.view import InspectView
from models.discovery import discover


@cache
def inspect_views() -> tuple[InspectView, ...]:
    """Return all of them by position."""
    return tuple(sorted(discover(__name__, InspectView), key=lambda view: view.position))
