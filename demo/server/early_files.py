"""Adds preload links for the files that Gradio's script loads later.

The script loads its parts, these load the page's components, and those load what they share. With preload
links a browser fetches all of them at once, while it still reads the first.
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

# The tag of Gradio's script in its page. The links go before this tag.
SCRIPT = re.compile(rb'<script type="module" crossorigin src="(?P<folder>\./assets/)(?P<name>[^"]+)">')
# The script searches the list of handlers for each component. Svelte wraps plain lists to notice changes,
# which makes the search slow; it does not wrap a subclass, and this list never changes.
PLAIN_HANDLERS = (
    "<script>{ class Handlers extends Array {}"
    " Object.setPrototypeOf(window.gradio_config.dependencies, Handlers.prototype); }</script>"
)
# An import on demand, as written by Vite, which builds the script: the name of the module, and the indices of
# all that it needs in a list (`FILE_LIST`) at the head of the file.
LAZY_IMPORT = re.compile(r"import\(`\./(?P<name>[^`]+)`\)[^`]*?__vite__mapDeps\(\[(?P<needs>[\d,]*)\]\)")
FILE_LIST = re.compile(r"m\.f=(\[[^\]]*\])")
COMPONENT = r"[{,]%s:\{[^}]*?component:\(\)=>(?P<module>.*?mapDeps\(\[[\d,]*\]\))"
SHELL, BLOCKS, CORE = "Index-", "Blocks-", "core-"  # prefixes of the modules that draw any page


class EarlyFiles:
    """ASGI layer that adds the links to the page."""

    def __init__(self, app: ASGIApp, also: Collection[str] = ()) -> None:
        """`also` holds addresses of our own modules, relative to the page."""
        self._app, self._also = app, also

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        if scope["type"] == "http" and scope["method"] == "GET" and scope["path"] == "/":
            send = ChangedPage(send, lambda page: self._with_preloads(page, scope))
        await self._app(scope, receive, send)

    def _with_preloads(self, page: bytes, scope: Scope) -> bytes:
        result = SCRIPT.search(page)
        if result is None:
            return page
        folder, name = result["folder"].decode(), result["name"].decode()
        kinds = {
            item["type"] for item in page_of(scope).config["components"] if item["props"].get("visible", True)
        }
        files = [f"{folder}{item}" for item in files_for(name, tuple(sorted(kinds)))]
        lines = "".join(map(_link, (*self._also, *files)))
        return page[: result.start()] + PLAIN_HANDLERS.encode() + lines.encode() + page[result.start() :]


def _link(address: str) -> str:
    if address.endswith(".css"):
        return f'<link rel="preload" as="style" crossorigin href="{address}">'
    return f'<link rel="modulepreload" href="{address}">'


@cache
def files_for(script: str, components: tuple[str, ...]) -> tuple[str, ...]:
    """The files that Gradio's script of this name needs for a page with these kinds of components.

    Fewer or none if a version of Gradio is built differently; the page is then slower but correct.
    """
    folder = scripts_folder()
    result = dict.fromkeys(_shell(folder, script))
    core = next((name for name in result if name.startswith(CORE)), None)
    if core is not None:
        text = (folder / core).read_text(encoding="utf-8")
        for component in components:
            module = re.search(COMPONENT % component, text)
            result.update(dict.fromkeys(_lazy_modules(text, module["module"], "") if module else ()))
    result.pop(script, None)
    return tuple(result)


def _shell(folder: Path, script: str) -> Iterator[str]:
    """The modules that draw any page, each after the one that needs it."""
    for begins in (SHELL, BLOCKS):
        text = (folder / script).read_text(encoding="utf-8")
        files = _lazy_modules(text, text, begins)
        if not files:
            return
        script = files[0]
        yield from files


def _lazy_modules(text: str, part: str, begins: str) -> list[str]:
    """The first lazy module with this prefix in a part of a script's text, and the modules it needs."""
    file_list = FILE_LIST.search(text)
    names = [] if file_list is None else [Path(load).name for load in json.loads(file_list[1])]
    for module in LAZY_IMPORT.finditer(part):
        if module["name"].startswith(begins):
            return [module["name"], *(names[int(number)] for number in module["needs"].split(",") if number)]
    return []
