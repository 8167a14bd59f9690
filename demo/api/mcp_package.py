"""A check at the start whether tools for language models can be served."""

from __future__ import annotations

import importlib.util


class ToolsError(RuntimeError):
    """The MCP server cannot start; the message says what to do."""


def check_tools() -> None:
    """Raise ToolsError if the package `mcp` is not installed."""
    if importlib.util.find_spec("mcp") is None:
        raise ToolsError("The MCP server needs one more package: pip install -r requirements-mcp.txt")
