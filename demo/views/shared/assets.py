"""The HTML, CSS and JavaScript of the views, by the paths of their files."""

from __future__ import annotations

from pathlib import Path

VIEWS = Path(__file__).parents[1]


def asset(name: str) -> str:
    """The text of a file by its path below the views, such as `trace/view.css`."""
    return (VIEWS / name).read_text(encoding="utf-8")
