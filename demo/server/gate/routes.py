"""The addresses of Gradio that this page needs; all others are closed.

A route of Gradio that stands in no list below is closed as well, and `undecided_route` names it for the log.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from demo.server.assets import ASSETS
from demo.server.gradio_compat import made_files, offers_login, page_of

API = "/gradio_api/"
UPLOAD = API + "upload"
FILE = API + "file="

READ = {"GET", "HEAD", "OPTIONS"}
# What the page and the clients of its API read.
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
LASTING = (ASSETS, "/static/", "/assets/")  # files that never change while a server runs
FOLDERS = (*LASTING, "/svelte/", "/pwa_icon/", API + "heartbeat/", API + "call/")
# What they call.
SHORT_CALLS = {API + name for name in ("cancel", "reset", "reset/")}  # these name one of the others
JOIN = API + "queue/join"
CALLS = SHORT_CALLS | {JOIN, UPLOAD}
COMPONENT_CALLS = {API + "component_server", API + "component_server/"}
CALLED_AT_ONCE = API + "run/"
CALLED_FOLDERS = (CALLED_AT_ONCE, API + "api/", API + "call/")
# To sign in with the Hub; Gradio has these where the page has the button.
LOGIN = {"/login/huggingface", "/login/callback", "/logout"}
# Of language models; these answer only where Gradio was told to.
MCP = {API + "mcp" + end for end in ("", "/", "/http", "/http/", "/schema")}

# Closed on purpose: logging in by a password, forwarding to other sites, streams of sound and pictures, the
# browser's recordings, the editor, the list of runs, deep links kept on the server, monitoring.
CLOSED = {"/login", "/monitoring", "/openapi.json"}
CLOSED |= {API + name for name in ("deep_link", "process_recording", "queue/status", "runs", "token", "user")}
CLOSED_FOLDERS = (
    *("/monitoring/", API + "custom_component/", API + "dev/", API + "file/", API + "proxy="),
    *(API + "run-history/", API + "stream/", API + "undo-vibe-", API + "vibe-"),
)

LONGEST_NAME = 255  # bytes of a file's name; Gradio looks for longer ones too, which systems refuse


def is_served(scope: Scope) -> bool:
    """Whether a request goes on to Gradio."""
    path: str = scope["path"]
    if not path.isprintable() or any(len(part.encode()) > LONGEST_NAME for part in path.split("/")):
        return False
    if not _is_open(scope["method"], path):
        return False
    if path.startswith(FILE):
        # Compared as texts: a path that is spelt in any other way than the page spells it is none of these.
        made = made_files(page_of(scope))
        return path.removeprefix(FILE) in {file.replace("\\", "/") for file in made}
    if path in LOGIN:
        return offers_login(page_of(scope))
    return not (path == "/" and _names_a_page(scope))


def _is_open(method: str, path: str) -> bool:
    """Whether requests to this address are answered at all."""
    if path in MCP:
        return True
    if method == "POST":
        return path in CALLS | COMPONENT_CALLS or path.startswith(CALLED_FOLDERS)
    return method in READ and (path in PAGES | LOGIN or path.startswith((*FOLDERS, FILE)))


def undecided_route(scope: Scope) -> str:
    """The route of Gradio, as "GET /new/{name}", that is closed only because no list here has it; else ""."""
    method, path = scope["method"], scope["path"]
    if is_decided(method, path):
        return ""
    matching = (route for route in routes_of(scope["app"]) if route.matches(scope)[0] is Match.FULL)
    return next((f"{method} {getattr(route, 'path', path)}" for route in matching), "")


def is_decided(method: str, path: str) -> bool:
    """Whether a list above has this address, be it open or closed."""
    is_closed = path.rstrip("/") in CLOSED or path.startswith(CLOSED_FOLDERS)
    return is_closed or path in LOGIN or _is_open(method, path)


def routes_of(app: Any) -> Iterator[BaseRoute]:
    """Every route of an application of FastAPI, also those of the routers that it includes."""
    for route in app.routes:
        router = getattr(route, "original_router", None)
        yield from [route] if router is None else router.routes


def _names_a_page(scope: Scope) -> bool:
    """Whether another page than the one is asked for, at which Gradio would stumble."""
    query = scope.get("query_string", b"").decode("latin-1")
    return "page" in parse_qs(query, keep_blank_values=True)


def comes_whole(scope: Scope) -> bool:
    """Whether the answer is a text in one piece that is no file: the page, or what a call is answered."""
    path: str = scope["path"]
    return path in {"/", "/config"} | COMPONENT_CALLS or path.startswith(CALLED_AT_ONCE)


def asks_to_act(scope: Scope) -> bool:
    """Whether a request does more than read what the page reads, or asks whether it may."""
    return scope["method"] not in READ - {"OPTIONS"} or scope["path"] in MCP
