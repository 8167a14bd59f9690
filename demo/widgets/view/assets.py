"""The HTML, CSS and JavaScript files of the page, by their paths below `demo`, and plotly.js."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

DEMO = Path(__file__).parents[2]
WITHOUT_SERVER = DEMO / "static"  # scripts of the page without a server
PLOTLY = "plotly.min.js"


def asset(name: str) -> str:
    """The text of a file, by its path below `demo`, such as `trace/view.css`."""
    return (DEMO / name).read_text(encoding="utf-8")


def scripts() -> list[str]:
    """The paths of all modules of the page below `demo`, in alphabetical order."""
    paths = (path for path in DEMO.rglob("*.js") if WITHOUT_SERVER not in path.parents)
    return sorted(path.relative_to(DEMO).as_posix() for path in paths)


def plotly_file() -> Path:
    """The path of plotly.js in the plotly package: 5 MB that a browser fetches once, for its first chart."""
    return Path(str(files("plotly") / "package_data" / PLOTLY)).resolve()
