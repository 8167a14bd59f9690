"""A page that shows views and nothing else, in a fraction of the time of a page of Gradio.

A view gets what it gets there: its template, its style sheet and the page's, its properties, later values,
and answers of its server functions. Absent are toasts, listeners, the script of the whole page and its fonts.
"""

from __future__ import annotations

import inspect
import re
import socket
from collections.abc import Mapping
from functools import cache
from threading import Thread
from typing import Any

import uvicorn
from playwright.sync_api import Page
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from demo.links import page_config
from demo.page.theme import build_theme, style_sheet
from demo.server.assets import address, assets_route, register_text
from demo.widgets.view.modules import modules_address
from demo.widgets.view.payload import json_text
from demo.widgets.view.view import View

# The rules of Gradio's own that views build on.
BASE = """
*, ::before, ::after { box-sizing: border-box; border: 0 solid; }
body { margin: 0; padding: 16px; font-family: var(--font); line-height: 1.5; }
body { background: var(--body-background-fill); color: var(--body-text-color); }
body.dark { color-scheme: dark; }
:where(h1, h2, h3, p, ul, ol, dl, dd, figure, fieldset) { margin: 0; padding: 0; }
:where(ul, ol) { list-style: none; }
:where(button, input, textarea, select) { font: inherit; color: inherit; }
:where(button) { background: transparent; padding: 0; cursor: pointer; }
"""
FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\}")
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><title>Views</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/STYLE">
</head>
<body class="gradio-container">
<script>if (/[?&]__theme=dark/.test(location.search)) document.body.classList.add("dark");</script>
<main>VIEWS</main>
<script type="application/json" id="bare-views">DESCRIPTIONS</script>
<script type="module">
import { modules } from "/MODULES";
window.unrolled = {
  config: CONFIG,
  loadModule: (address) => import(new URL(address, document.baseURI).href),
};
const events = [];
const shown = {};
window.bare = { events, show: (id, value) => shown[id](value) };
const ask = (id, name) => async (data = null) => {
  const answer = await fetch(`/call/${id}/${name}`, { method: "POST", body: JSON.stringify(data) });
  if (!answer.ok) throw new Error(`${name} failed`);
  return answer.json();
};
for (const { id, file, props, functions } of JSON.parse(document.getElementById("bare-views").textContent)) {
  const watchers = [];
  shown[id] = (value) => {
    if (JSON.stringify(value) === JSON.stringify(props.value)) return; // as Gradio does
    props.value = value;
    for (const [names, changed] of watchers) if (names.includes("value")) changed();
  };
  const watch = (names, changed) => watchers.push([[names].flat(), changed]);
  const trigger = (name, data) => events.push({ id, name, data });
  const server = Object.fromEntries(functions.map((name) => [name, ask(id, name)]));
  modules[file].mount(document.getElementById(id), props, watch, trigger, server, modules);
}
</script>
</body>
</html>"""


class BareServer:
    """Serves a page of the views that were opened last."""

    def __init__(self) -> None:
        self.views: dict[str, View] = {}  # by the id of their element
        self._html = ""
        self._socket = socket.create_server(("127.0.0.1", 0))  # from now on connections wait for the server
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/"
        call = Route("/call/{view}/{function}", self._call, methods=["POST"])
        app = Starlette(routes=[Route("/", self._page), call, assets_route()])
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)
        self._thread.start()

    def use(self, views: dict[str, View]) -> None:
        """Serve a page of these views from now on."""
        self.views, self._html = views, _html(views)

    def close(self) -> None:
        """Answer no more."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    async def _page(self, request: Request) -> Response:
        return HTMLResponse(self._html)

    async def _call(self, request: Request) -> Response:
        """The answer of a server function to the data that the view sends; Gradio's own are not passed on."""
        function = getattr(self.views[request.path_params["view"]], request.path_params["function"])
        data = await request.json()
        awaited = inspect.iscoroutinefunction(function)
        answer = await (function(data) if awaited else run_in_threadpool(function, data))
        return answer if isinstance(answer, Response) else Response(json_text(answer))


class BarePage:
    """A page of a window, as a test of views uses it."""

    def __init__(self, page: Page, server: BareServer) -> None:
        self.page = page
        self._server = server

    def open(self, *views: View, query: str = "") -> None:
        """Load a page with these views; `?__theme=dark` is in the dark theme."""
        self._server.use({view.elem_id or f"view-{number}": view for number, view in enumerate(views)})
        self.page.goto(f"{self._server.url}{query}")

    def show(self, value: object, view: str = "") -> None:
        """Give a view another value, as the answer of a handler does.

        `view` is its `elem_id`; a single one needs none.
        """
        key = view or next(iter(self._server.views))
        payload = json_text(self._server.views[key].postprocess(value))
        self.page.evaluate("([id, text]) => bare.show(id, JSON.parse(text))", [key, payload])

    def events(self, name: str) -> list[Any]:
        """The data of the events `name` that the views have triggered since the page was opened."""
        script = "name => bare.events.filter((event) => event.name === name).map(({ data }) => data ?? null)"
        return list(self.page.evaluate(script, name))

    def wait_for_event(self, name: str) -> Any:
        """The data of the latest event `name`, the first of which may be still to come."""
        self.page.wait_for_function("name => bare.events.some((event) => event.name === name)", arg=name)
        return self.events(name)[-1]


def _html(views: Mapping[str, View]) -> str:
    parts = {
        "STYLE": _style_address(),
        "MODULES": modules_address(),
        "VIEWS": "".join(
            f'<style>#{key} {{ {view.css_template} }}</style><div id="{key}">{view.html_template}</div>'
            for key, view in views.items()
        ),
        "CONFIG": json_text(page_config()),
        "DESCRIPTIONS": json_text([_description(key, view) for key, view in views.items()]),
    }
    # All at once, so that no part is searched for the names of the others.
    return re.sub("|".join(parts), lambda match: parts[match[0]], PAGE)


def _description(key: str, view: View) -> dict[str, Any]:
    props = {**view.props, "label": view.label, "value": view.value}
    functions = [function.__name__ for function in view.server_fns]
    return {"id": key, "file": view.module_path, "props": props, "functions": functions}


@cache
def _style_address() -> str:
    theme: Any = build_theme()
    colours = FONT_FACE.sub("", theme._get_theme_css())
    register_text("bare-page", "style.css", "\n".join((colours, BASE, style_sheet())))
    return address("bare-page", "style.css")
