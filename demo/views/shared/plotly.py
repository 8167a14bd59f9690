"""plotly.js as the plotly package ships it: 5 MB that a browser fetches once, when it has a chart to draw."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from demo.server.assets import address, register_folder

_NAME = "plotly.min.js"


def plotly_file() -> Path:
    """Where it lies."""
    return Path(str(files("plotly") / "package_data" / _NAME)).resolve()


def plotly_address() -> str:
    """Where a browser finds it, relative to the page."""
    register_folder("plotly", plotly_file().parent, only=(_NAME,))
    return address("plotly", _NAME)
