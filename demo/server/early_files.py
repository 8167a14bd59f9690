"""Names in a page, before Gradio's script begins, the files that it will find out step by step that it needs.

The script asks for its parts, these for the page's components, and those for what they share: a browser that
knows all of them from the start fetches them side by side, while it still reads the first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from demo.server.changed_page import ChangedPage
from demo.server.gradio_compat import page_of, scripts_folder

# How a page of Gradio's names its script. What is put before this tag, the browser meets before the script.
SCRIPT = re.compile(rb'<script type="module" crossorigin src="(?P<folder>\./assets/)(?P<name>[^"]+)">')
# The script looks through the list of handlers for each component. Svelte wraps plain lists, to notice
# changes of them, which makes each look slow; one of another class it leaves alone, and this never changes.
UNWATCHED = (
    "<script>{ class Handlers extends Array {}"
    " Object.setPrototypeOf(window.gradio_config.dependencies, Handlers.prototype); }</script>"
)
# How Vite, which builds the script, writes a module that is fetched late: its name, and the numbers of all
# that it needs in a list (`LISTED`) at the head of the file.
LATER = re.compile(r"import\(`\./(?P<name>[^`]+)`\)[^`]*?__vite__mapDeps\(\[(?P<needs>[\d,]*)\]\)")
LISTED = re.compile(r"m\.f=(\[[^\]]*\])")
COMPONENT = r"[{,]%s:\{[^}]*?component:\(\)=>(?P<module>.*?mapDeps\(\[[\d,]*\]\))"
SHELL, BLOCKS, CORE = "Index-", "Blocks-", "core-"  # how the names of those begin that draw any page


class EarlyFiles:
    """ASGI layer: adds what a page needs to the page."""

    def __init__(self, app: ASGIApp, also: Collection[str] = ()) -> None:
        """`also`: addresses of modules that are not Gradio's, relative to the page."""
        self._app, self._also = app, also

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        if scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == "/":
            send = ChangedPage(send, lambda page: self._told(page, scope))
        await self._app(scope, receive, send)

    def _told(self, page: bytes, scope: Scope) -> bytes:
        result = SCRIPT.search(page)
        if result is None:
            return page
        folder, name = result["folder"].decode(), result["name"].decode()
        drawn = {
            item["type"] for item in page_of(scope).config["components"] if item["props"].get("visible", True)
        }
        files = [f"{folder}{item}" for item in files_for(name, tuple(sorted(drawn)))]
        lines = "".join(map(_link, (*self._also, *files)))
        return page[: result.start()] + UNWATCHED.encode() + lines.encode() + page[result.start() :]


def _link(address: str) -> str:
    if address.endswith(".css"):
        return f'<link rel="preload" as="style" crossorigin href="{address}">'
    return f'<link rel="modulepreload" href="{address}">'


@cache
def files_for(script: str, components: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the files that Gradio's script of this name needs for a page with these kinds of components.

    Fewer, or none, where a version of Gradio is built in another way: a page is slower then, and still right.
    """
    folder = scripts_folder()
    result = dict.fromkeys(_shell(folder, script))
    core = next((name for name in result if name.startswith(CORE)), None)
    if core is not None:
        text = (folder / core).read_text(encoding="utf-8")
        for component in components:
            module = re.search(COMPONENT % component, text)
            result.update(dict.fromkeys(_later(text, module["module"], "") if module else ()))
    result.pop(script, None)
    return tuple(result)


def _shell(folder: Path, script: str) -> Iterator[str]:
    """What draws any page, each after who needs it."""
    for begins in (SHELL, BLOCKS):
        text = (folder / script).read_text(encoding="utf-8")
        files = _later(text, text, begins)
        if not files:
            return
        script = files[0]
        yield from files


def _later(text: str, part: str, begins: str) -> list[str]:
    """The first module so named that a part of a script's text fetches when it is needed, and its needs."""
    listed = LISTED.search(text)
    names = [] if listed is None else [Path(load).name for load in json.loads(listed[1])]
    for module in LATER.finditer(part):
        if module["name"].startswith(begins):
            return [module["name"], *(names[int(number)] for number in module["needs"].split(",") if number)]
    return []
