"""Whether tools for language models can be served: asked before anything is."""

from __future__ import annotations

import importlib.util


class ToolsError(RuntimeError):
    """The MCP server cannot start as asked; the message is a sentence that says what to do."""


def check_tools() -> None:
    """Raises ToolsError where the package that serves them is not installed."""
    if importlib.util.find_spec("mcp") is None:
        raise ToolsError("The MCP server needs a package more: pip install -r requirements-mcp.txt")
