"""Which of Gradio's addresses this page needs; all others are closed.

Closed are, among others: forwarding to other sites (`proxy=`), streams of sound and pictures, the browser's
recordings, the editor, the list of runs, deep links kept on the server, monitoring.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers
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
FOLDERS = (ASSETS, "/static/", "/assets/", "/svelte/", "/pwa_icon/", API + "heartbeat/", API + "call/")
# What they call.
CALLS = {API + name for name in ("queue/join", "cancel", "reset", "reset/", "upload")}
COMPONENT_CALLS = {API + "component_server", API + "component_server/"}
CALLED_FOLDERS = tuple(API + name for name in ("run/", "api/", "call/"))
# To sign in with the Hub; Gradio has these where the page has the button.
LOGIN = {"/login/huggingface", "/login/callback", "/logout"}
# Of language models; these answer only where Gradio was told to.
MCP = {API + "mcp" + end for end in ("", "/", "/http", "/http/", "/schema")}
LOOPBACK = {"localhost", "127.0.0.1", "::1"}


def is_served(scope: Scope) -> bool:
    """Whether a request goes on to Gradio."""
    path: str = scope["path"]
    if path in MCP:
        return not _asked_by_other_site(scope)
    if scope["method"] == "POST":
        return path in CALLS | COMPONENT_CALLS or path.startswith(CALLED_FOLDERS)
    if scope["method"] not in READ:
        return False
    if path.startswith(FILE):
        # Compared as texts: a path that is spelt in any other way than the page spells it is none of these.
        made = made_files(page_of(scope))
        return path.removeprefix(FILE) in {file.replace("\\", "/") for file in made}
    if path in LOGIN:
        return offers_login(page_of(scope))
    return path in PAGES or path.startswith(FOLDERS)


def _asked_by_other_site(scope: Scope) -> bool:
    """Whether a page of another site asks a server that is for this machine alone.

    That page may have made its own name one of this machine (DNS rebinding), so that Host proves nothing;
    Origin is written by the browser, and programs have none.
    """
    origin, server = Headers(scope=scope).get("origin"), scope.get("server")
    if origin is None or server is None or server[0] not in LOOPBACK:
        return False
    try:
        return urlsplit(origin).hostname not in LOOPBACK
    except ValueError:
        return True
