"""A page that mounts views without Gradio's script: a test of a view alone needs no more.

Gradio takes most of the time that a page loads. What it does for a view is little: it calls `mount` with the
element, the properties, and functions that watch values, trigger events and call the view's Python functions.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route

from demo.server.assets import assets_route
from demo.views.shared.view import View

# The colours of the page's theme that views use, and the class that the dark theme sets.
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<base href="/">
<link rel="icon" href="data:,">
<title>View</title>
<style>
:root {
  --body-background-fill: #fafafa; --block-background-fill: #fff; --border-color-primary: #e3e7ec;
  --body-text-color: #1f2933; --body-text-color-subdued: #5c6773;
}
.dark {
  --body-background-fill: #0f0f11; --block-background-fill: #18181c; --border-color-primary: #34343c;
  --body-text-color: #e6e9ed; --body-text-color-subdued: #a3acb8; color-scheme: dark;
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 16px; font-family: system-ui, sans-serif;
  background: var(--body-background-fill); color: var(--body-text-color);
}
#ELEMENT { STYLE }
</style>
<body>
<h2>Test</h2>
<div id="ELEMENT">TEMPLATE</div>
<button id="next">BUTTON</button>
<label>shown <output id="shown">0</output></label>
<label>control <input type="checkbox"></label>
<script type="module">
if (new URLSearchParams(location.search).get("__theme") === "dark") document.body.classList.add("dark");
const { modules } = await import("/MODULES");
const { file, props, later, functions, page } = DATA;
const changed = [];
let shown = 0;
const call = (name) => async (...args) => {
  const answer = await fetch("/call", { method: "POST", body: JSON.stringify([page, name, args]) });
  return (await answer.json()).value;
};
modules[file].mount(
  document.querySelector("#ELEMENT"),
  props,
  (_, watcher) => changed.push(watcher),
  () => {}, // what Gradio does with events needs Gradio
  Object.fromEntries(functions.map((name) => [name, call(name)])),
  modules,
);
document.querySelector("#next").addEventListener("click", () => {
  if (later.length) props.value = later[Math.min(shown, later.length - 1)];
  shown += 1;
  for (const watcher of changed) watcher();
  document.querySelector("#shown").value = String(shown);
});
</script>
"""


@dataclass
class BarePages:
    """The server of the pages, each of which stays until the server ends."""

    port: int
    _html: list[str] = field(default_factory=list)
    _functions: list[dict[str, Callable[..., Any]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        routes = [
            assets_route(),
            Route("/{page:int}", self._page),
            Route("/call", self._call, methods=["POST"]),
        ]
        config = uvicorn.Config(Starlette(routes=routes), "127.0.0.1", self.port, log_level="error")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    def add(self, view: View, later: Sequence[object] = (), button: str = "Replace") -> str:
        """Return the address of a page with the view; its button shows the `later` values one by one."""
        functions = {function.__name__: function for function in view.server_fns or ()}
        data = {
            "file": view.module_path,
            "props": {**view.props, "label": view.label, "value": view.value},
            "later": [view.postprocess(value) for value in later],
            "functions": list(functions),
            "page": len(self._html),
        }
        html = PAGE
        for name, text in (
            ("ELEMENT", str(view.elem_id)),
            ("STYLE", view.css_template),
            ("TEMPLATE", view.html_template),
            ("BUTTON", button),
            ("MODULES", view.props["modules"]),
            ("DATA", json.dumps(data).replace("</", "<\\/")),
        ):
            html = html.replace(name, text)
        self._html.append(html)
        self._functions.append(functions)
        return f"http://127.0.0.1:{self.port}/{len(self._html) - 1}"

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join()

    async def _page(self, request: Request) -> HTMLResponse:
        return HTMLResponse(self._html[request.path_params["page"]])

    async def _call(self, request: Request) -> JSONResponse:
        page, name, arguments = await request.json()
        return JSONResponse({"value": self._functions[page][name](*arguments)})
