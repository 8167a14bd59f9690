"""An MCP server with three named tools. Needs the package `mcp`; Gradio serves it under /gradio_api/mcp/."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from demo import __version__
from demo.api.endpoints import ENDPOINTS, MEANING
from demo.server.gradio_compat import GradioMCPServer

if TYPE_CHECKING:
    from mcp.server import Server
    from mcp.types import ImageContent, TextContent


class ToolServer(GradioMCPServer):
    """Offers three tools and answers in JSON; Gradio's own offers all endpoints and Python values."""

    def create_mcp_server(self) -> Server:
        """The server with our version; by default it names the version of the package `mcp`."""
        server = super().create_mcp_server()
        server.version = __version__
        return server

    def get_tool_to_endpoint(self) -> dict[str, str]:
        """The endpoint of each tool, by its name, which on a Space begins with the name of the Space."""
        return {
            self.tool_prefix + endpoint.tool: f"/{endpoint.name}" for endpoint in ENDPOINTS if endpoint.tool
        }

    def get_input_schema(
        self, tool_name: str, parameters: dict[str, str] | None = None
    ) -> tuple[dict[str, Any], list[list[str | int]]]:
        """The JSON schema of a tool's arguments, which allows no others."""
        schema, files = super().get_input_schema(tool_name, parameters)
        for argument in schema["properties"].values():
            argument.pop(MEANING, None)  # a copy of the description
        return {**schema, "additionalProperties": False}, files

    def postprocess_output_data(self, data: Any, root_url: str) -> list[TextContent | ImageContent]:
        """The answer as JSON text."""
        texts = (json.dumps(output, ensure_ascii=False) for output in data)
        return [self.types.TextContent(type="text", text=text) for text in texts]
