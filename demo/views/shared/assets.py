"""The HTML, CSS and JavaScript files of the views, by their paths."""

from __future__ import annotations

from pathlib import Path

VIEWS = Path(__file__).parents[1]


def asset(name: str) -> str:
    """The text of a file, by its path below the views, such as `trace/view.css`."""
    return (VIEWS / name).read_text(encoding="utf-8")
