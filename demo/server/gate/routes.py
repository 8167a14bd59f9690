"""The routes of Gradio that this page needs, below the path of a proxy; all others are closed.

A route that is in no list below is closed, too, and `undecided_route` names it for the log.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

from demo.server.assets import ASSETS
from demo.server.gradio_compat import made_files, offers_login, page_of

API = "/gradio_api/"
UPLOAD = API + "upload"
FILE = API + "file="

READ = {"GET", "HEAD", "OPTIONS"}
# The page and clients of its API read these.
PAGES = {
    "/",
    "/config",
    "/config/",
    "/theme.css",
    "/favicon.ico",
    "/robots.txt",
    "/manifest.json",
    "/pwa_icon",
}
PAGES |= {API + name + end for name in ("info", "app_id", "login_check") for end in ("", "/")}
PAGES |= {API + name for name in ("openapi.json", "theme.css")}
PAGES |= {API + name for name in ("queue/data", "startup-events", "upload_progress")}
IMMUTABLE_FILES = (ASSETS, "/static/", "/assets/")  # files that never change while a server runs
STATES = "/states/"  # streams of the states of work that a page has begun
FOLDERS = (*IMMUTABLE_FILES, STATES, "/svelte/", "/pwa_icon/", API + "heartbeat/", API + "call/")
# The page and clients of its API call these.
SHORT_CALLS = {API + name for name in ("cancel", "reset", "reset/")}  # these name another call
JOIN = API + "queue/join"
CALLS = SHORT_CALLS | {JOIN, UPLOAD}
COMPONENT_CALLS = {API + "component_server", API + "component_server/"}
CALLED_AT_ONCE = API + "run/"
CALLED_FOLDERS = (CALLED_AT_ONCE, API + "api/", API + "call/")
# Paths for signing in with the Hub; Gradio has these if the page has the button.
LOGIN = {"/login/huggingface", "/login/callback", "/logout"}
# Paths for language models; open only if Gradio serves tools.
MCP = {API + "mcp" + end for end in ("", "/", "/http", "/http/", "/schema")}

# Closed on purpose: login by password, forwarding to other sites, streams of sound and pictures, the
# browser's recordings, the editor, the list of runs, deep links kept on the server, monitoring.
CLOSED_PATHS = {"/login", "/monitoring", "/openapi.json"}
CLOSED_PATHS |= {
    API + name for name in ("deep_link", "process_recording", "queue/status", "runs", "token", "user")
}
CLOSED_FOLDERS = (
    *("/monitoring/", API + "custom_component/", API + "dev/", API + "file/", API + "proxy="),
    *(API + "run-history/", API + "stream/", API + "undo-vibe-", API + "vibe-"),
)

MAX_FILE_NAME_BYTES = 255  # bytes of a file's name; systems refuse longer ones


def is_served(scope: Scope) -> bool:
    """Whether a request is passed on to Gradio."""
    path: str = scope["path"]
    if not path.isprintable() or any(len(part.encode()) > MAX_FILE_NAME_BYTES for part in path.split("/")):
        return False
    if not _is_open(scope["method"], path):
        return False
    if path.startswith(FILE):
        # Compared as texts, so a path that is spelt differently does not match.
        made_for_visitors = made_files(page_of(scope))
        return path.removeprefix(FILE) in {file.replace("\\", "/") for file in made_for_visitors}
    if path in LOGIN:
        return offers_login(page_of(scope))
    return not (path == "/" and _names_a_page(scope))


def _is_open(method: str, path: str) -> bool:
    """Whether requests to this path are answered."""
    if path in MCP:
        return True
    if method == "POST":
        return path in CALLS | COMPONENT_CALLS or path.startswith(CALLED_FOLDERS)
    return method in READ and (path in PAGES | LOGIN or path.startswith((*FOLDERS, FILE)))


def undecided_route(scope: Scope) -> str:
    """The route of Gradio, as "GET /new/{name}", if it is closed only for lack in a list; else ""."""
    method, path = scope["method"], scope["path"]
    if is_decided(method, path):
        return ""
    matching = (route for route in routes_of(scope["app"]) if route.matches(scope)[0] is Match.FULL)
    return next((f"{method} {getattr(route, 'path', path)}" for route in matching), "")


def is_decided(method: str, path: str) -> bool:
    """Whether this path is in a list above, open or closed."""
    is_closed = path.rstrip("/") in CLOSED_PATHS or path.startswith(CLOSED_FOLDERS)
    return is_closed or path in LOGIN or _is_open(method, path)


def routes_of(app: Any) -> Iterator[BaseRoute]:
    """All routes of a FastAPI application, with those of included routers."""
    for route in app.routes:
        router = getattr(route, "original_router", None)
        yield from [route] if router is None else router.routes


def _names_a_page(scope: Scope) -> bool:
    """Whether the request names another page, for which Gradio would fail."""
    query = scope.get("query_string", b"").decode("latin-1")
    return "page" in parse_qs(query, keep_blank_values=True)


def comes_whole(scope: Scope) -> bool:
    """Whether the answer is one text and no file: the page, or the answer of a call."""
    path: str = scope["path"]
    return path in {"/", "/config"} | COMPONENT_CALLS or path.startswith(CALLED_AT_ONCE)


def does_more_than_read(scope: Scope) -> bool:
    """Whether a request does more than read public content; a preflight counts as doing so."""
    return scope["method"] not in READ - {"OPTIONS"} or scope["path"] in MCP


class FrontPath:
    """ASGI layer that removes a proxy's path from a request's address, unless the proxy has done so.

    The path in front of the page is `/unrolled` in `https://example.org/unrolled/`.
    The layers and routes inside see the address as without a proxy. Starlette would cut the path in front
    from a route of the same name, too. Gradio keeps the path for the addresses that it sends.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        if scope["type"] == "http":
            front = urlsplit(scope.get("root_path", "")).path.rstrip("/")
            scope = {**scope, "root_path": ""}
            inner = {**scope, "path": scope["path"].removeprefix(front)}
            if front and inner["path"].startswith("/") and is_served(inner):
                scope = inner
        await self._app(scope, receive, send)
