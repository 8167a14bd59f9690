"""Which of Gradio's addresses this page needs; all others are closed.

Closed are, among others: forwarding to other sites (`proxy=`), streams of sound and pictures, the browser's
recordings, the editor, the list of runs, deep links kept on the server, monitoring.
"""

from __future__ import annotations

from urllib.parse import parse_qs

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
PAGES |= {API + name for name in ("info", "info/", "openapi.json", "theme.css", "app_id", "login_check")}
PAGES |= {API + name for name in ("queue/data", "startup-events", "upload_progress")}
LASTING = (ASSETS, "/static/", "/assets/")  # files that never change while a server runs
FOLDERS = (*LASTING, "/svelte/", "/pwa_icon/", API + "heartbeat/", API + "call/")
# What they call.
SHORT_CALLS = {API + name for name in ("cancel", "reset", "reset/")}  # these name one of the others
CALLS = SHORT_CALLS | {API + name for name in ("queue/join", "upload")}
COMPONENT_CALLS = {API + "component_server", API + "component_server/"}
CALLED_AT_ONCE = API + "run/"
CALLED_FOLDERS = (CALLED_AT_ONCE, API + "api/", API + "call/")
# To sign in with the Hub; Gradio has these where the page has the button.
LOGIN = {"/login/huggingface", "/login/callback", "/logout"}
# Of language models; these answer only where Gradio was told to.
MCP = {API + "mcp" + end for end in ("", "/", "/http", "/http/", "/schema")}

LONGEST_NAME = 255  # bytes of a file's name; Gradio looks for longer ones too, which systems refuse


def is_served(scope: Scope) -> bool:
    """Whether a request goes on to Gradio."""
    path: str = scope["path"]
    if not path.isprintable() or any(len(part.encode()) > LONGEST_NAME for part in path.split("/")):
        return False
    if path in MCP:
        return True
    if scope["method"] == "POST":
        return path in CALLS | COMPONENT_CALLS or path.startswith(CALLED_FOLDERS)
    if scope["method"] not in READ:
        return False
    if path.startswith(FILE):
        # Compared as texts: a path that is spelt in any other way than the page spells it is none of these.
        made = made_files(page_of(scope))
        return path.removeprefix(FILE) in {file.replace("\\", "/") for file in made}
    if path == "/" and _names_a_page(scope):
        return False
    if path in LOGIN:
        return offers_login(page_of(scope))
    return path in PAGES or path.startswith(FOLDERS)


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
