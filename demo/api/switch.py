"""Whether the operator wants tools for language models: the switch is read before anything is served."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping

ON, OFF = ("on", "1", "true", "yes"), ("off", "0", "false", "no")
SWITCH = "UNROLLED_MCP"


class ToolsError(RuntimeError):
    """The MCP server cannot start as asked; the message is a sentence that says what to do."""


def wants_tools(flag: bool, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether to serve tools: the flag of the command line, or UNROLLED_MCP. Raises ToolsError."""
    switch = environ.get(SWITCH, "").strip().lower() or "off"
    if switch not in ON + OFF:
        raise ToolsError(f"{SWITCH} must be on or off; got {switch[:40]!r}.")
    wanted = flag or switch in ON
    if wanted and importlib.util.find_spec("mcp") is None:
        raise ToolsError("The MCP server needs a package more: pip install -r requirements-mcp.txt")
    return wanted
