"""plotly.js of the plotly package: 5 MB that a browser fetches once, for its first chart."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from demo.server.assets import address, register_folder

_NAME = "plotly.min.js"


def plotly_file() -> Path:
    """The path of the file."""
    return Path(str(files("plotly") / "package_data" / _NAME)).resolve()


def plotly_address() -> str:
    """The address of the file, relative to the page."""
    register_folder("plotly", plotly_file().parent, only=(_NAME,))
    return address("plotly", _NAME)
