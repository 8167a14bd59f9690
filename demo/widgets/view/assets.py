"""The HTML, CSS and JavaScript files of the page, by their paths below `demo`."""

from __future__ import annotations

from pathlib import Path

DEMO = Path(__file__).parents[2]
WITHOUT_SERVER = DEMO / "static"  # scripts of the page without a server


def asset(name: str) -> str:
    """The text of a file, by its path below `demo`, such as `trace/view.css`."""
    return (DEMO / name).read_text(encoding="utf-8")


def scripts() -> list[str]:
    """The paths of all modules of the page below `demo`, in alphabetical order."""
    paths = (path for path in DEMO.rglob("*.js") if WITHOUT_SERVER not in path.parents)
    return sorted(path.relative_to(DEMO).as_posix() for path in paths)
