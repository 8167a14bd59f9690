"""The internals of Gradio that only tests use; the page's are in demo/server/gradio_compat.py."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import gradio as gr
import pytest
from gradio.context import LocalContext
from starlette.datastructures import Headers
from starlette.middleware import Middleware

from demo.server.gate.routes import routes_of


def started_with(monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str]) -> None:
    """Set environment variables as if Gradio had read them on import, as on a Space."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
        monkeypatch.setattr(f"gradio.oauth.{name}", value, raising=False)
    monkeypatch.setattr("gradio.http_server.get_space", lambda: None)  # no reloading of changed files


def visited_with(headers: Mapping[str, str]) -> None:
    """Set the headers of a visitor's request in this context."""
    LocalContext.request.set(SimpleNamespace(headers=Headers(dict(headers))))  # type: ignore[arg-type]


def paths_of(page: gr.Blocks) -> set[str]:
    """Return the addresses of a served page."""
    return {getattr(route, "path", "") for route in routes_of(app_of(page))}


def app_of(page: gr.Blocks, *middleware: Middleware) -> gr.routes.App:
    """Return Gradio's application, without a server."""
    return gr.routes.App.create_app(page, app_kwargs={"middleware": list(middleware)})


def leave_behind(page: gr.Blocks, session: str, call: str = "a call that is over") -> None:
    """Add the entry that Gradio keeps for a session that made a call and left."""
    page._queue.pending_event_ids_session[session] = {call}
