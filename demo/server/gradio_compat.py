"""Uses of Gradio beyond its public interface: look here first at a new version.

`requirements.txt` pins the minor version that the tests ran with. No other module but gradio_queue.py may
import what Gradio does not document (`tests/lint/code/confined.py`); who relies on its inside without an
import is listed below.
"""

# - no_stubs.py replaces a function while Gradio is imported.
# - server/page.py and api/tools.py override methods that Gradio does not document.
# - server/calls/ reads calls, and answers them, as Gradio's script and its clients do.
# - server/gate/routes.py lists Gradio's routes; tests/demo/server/gate/test_routes.py finds new ones.
# - demo/static/site/ reads the description of the page, and demo/static/shell/ draws it with Gradio's names.
# - All style sheets and the files below name elements that Gradio draws or the
#   configuration that it puts into the page; tests/lint/page/styles.py finds names that are gone:
#   learn/dock/lazy/dock.js, learn/dock/lazy/dock_position.js, learn/dock/lazy/evidence.js, links/hiding.py,
#   links/scripts/address.js, links/scripts/visit.js, page/scripts/carry.js, page/scripts/folds.js,
#   page/scripts/page.js, page/theme.py,
#   static/shell/decode.js, static/shell/form.js, static/shell/visit.js, static/shell/widgets.js,
#   training/form/settings_card.py, widgets/charts/charts.js, widgets/glossary/glossary.js,
#   widgets/glossary/marks.js, widgets/view/translate.js, widgets/view/view.py

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import gradio as gr
from gradio import blocks, route_utils, state_holder
from gradio.block_function import BlockFunction
from gradio.brotli_middleware import BrotliMiddleware
from gradio.context import get_blocks_context
from gradio.exceptions import ComponentProcessingError, InvalidPathError
from gradio.route_utils import FnIndexInferError
from gradio.state_holder import SessionState
from gradio_client.utils import is_file_obj_with_meta, is_http_url_like, traverse  # type: ignore[import-untyped]
from pydantic import ValidationError
from starlette.requests import Request
from starlette.types import ASGIApp, Scope

if TYPE_CHECKING:
    from gradio.mcp import GradioMCPServer

__all__ = ["BlockFunction", "FnIndexInferError", "GradioMCPServer", "SessionState"]

# Raised by Gradio for malformed values.
UNFIT_VALUES = (ComponentProcessingError, InvalidPathError, ValidationError)


def __getattr__(name: str) -> Any:
    """`GradioMCPServer`, whose import takes a while and needs the package `mcp`."""
    if name == "GradioMCPServer":
        from gradio.mcp import GradioMCPServer

        return GradioMCPServer
    raise AttributeError(name)


class LightSession(SessionState):
    """A visitor's state for Gradio, without a copy of the page's description and of all values last sent.

    Gradio needs these copies for links stored on the server, which this page does not have. They would cost
    20 ms and a quarter of a megabyte at a visitor's first call, and keep every visitor's last results in
    memory.
    """

    def __init__(self, page: gr.Blocks) -> None:
        super().__init__(cast("gr.Blocks", SimpleNamespace(default_config=page.default_config, blocks={})))

    def __setitem__(self, key: int, value: Any) -> None:
        super().__setitem__(key, value)
        self.config_values.clear()

    def _update_config(self, key: int) -> None:
        """Do nothing; see the class."""

    def _update_value_in_config(self, key: int, value: Any) -> None:
        """Do nothing; see the class."""


for _module in (blocks, route_utils, state_holder):
    _module.SessionState = LightSession  # type: ignore[attr-defined]


def page_of(scope: Scope) -> gr.Blocks:
    """The page of a request."""
    page: gr.Blocks = scope["app"].get_blocks()
    return page


async def session_of(request: gr.Request | Request) -> str:
    """The session of a component's call to a server function, which Gradio does not pass on; else ""."""
    body = await request.json()
    session = body.get("session_hash") if isinstance(body, dict) else None
    return session if isinstance(session, str) else ""


def functions_so_far() -> dict[int, BlockFunction]:
    """The functions of the page that is being built, by number. Raises RuntimeError outside of a page."""
    page = get_blocks_context()
    if page is None:
        raise RuntimeError("call this within `with gr.Blocks()`")
    return page.fns


def without_hidden_progress(config: dict[str, Any]) -> dict[str, Any]:
    """A page's description without progress components for handlers that show no progress.

    With these components Gradio's script would report each stage of each call to every widget that any of the
    handlers ever filled in, and search the whole page for each widget: a third of a click's time in the
    browser.
    """
    dependencies = [
        {**item, "show_progress_on": []}
        if item["show_progress"] == "hidden" or not item["backend_fn"]
        else item
        for item in config["dependencies"]
    ]
    return {**config, "dependencies": dependencies}


def without_endpoints(config: dict[str, Any]) -> dict[str, Any]:
    """A page's description whose layout lacks the components that `gr.api` makes of arguments.

    These components draw nothing. Gradio's script would still make a widget for each of them and search all
    handlers for its own, twice at each visit. Programs still find them among the components.
    """
    arguments = {item["id"] for item in config["components"] if item["type"] == "api"}
    components = [
        # Gradio's script waits for all visible components before the page is ready.
        {**item, "props": {**item["props"], "visible": False}} if item["id"] in arguments else item
        for item in config["components"]
    ]

    def without_arguments(layout: dict[str, Any]) -> dict[str, Any]:
        return {**layout, "children": [item for item in layout["children"] if item["id"] not in arguments]}

    pages = {
        name: {**page, "layout": without_arguments(page["layout"])} for name, page in config["page"].items()
    }
    return {**config, "components": components, "layout": without_arguments(config["layout"]), "page": pages}


def function_of(page: gr.Blocks, function: BlockFunction | int) -> BlockFunction:
    """The function of a call, which may be given by its number."""
    return page.fns[function] if isinstance(function, int) else function


def answering_functions(page: gr.Blocks) -> Collection[int]:
    """The numbers of the functions that run on the server; others run in the browser."""
    return {number for number, function in page.fns.items() if function.fn is not None}


def event_data(event: gr.EventData) -> object:
    """The unchecked data that a browser sent with an event."""
    return event._data


def visit_addresses(values: list[Any], visit: Callable[[str], None]) -> None:
    """Call `visit` with each address in the values that Gradio would fetch as a file."""

    def visit_file(file: dict[str, Any]) -> None:
        path = file["path"].strip().lower()
        if is_http_url_like(path):
            visit(path)

    traverse(values, visit_file, is_file_obj_with_meta)


def holds_a_file(value: object) -> bool:
    """Whether Gradio takes part of the value for a file."""
    result: list[object] = []
    traverse(value, result.append, is_file_obj_with_meta)
    return bool(result)


def made_files(page: gr.Blocks) -> Iterator[str]:
    """The paths of files made for visitors to download.

    Each lies in a folder named by a salted digest of what is in it, which only that visitor's page knows.
    Uploads are not among them and are never served.
    """
    for block in page.blocks.values():
        if isinstance(block, gr.DownloadButton):
            yield from block.temp_files


def offers_login(page: gr.Blocks) -> bool:
    """Whether the page has the button to sign in with the Hub."""
    return bool(page.expects_oauth)


class Packing(BrotliMiddleware):
    """ASGI layer that compresses files, by the suffixes of their names, and answers selected by `also`.

    It takes brotli or gzip, and leaves streams as they are.
    """

    def __init__(self, app: ASGIApp, also: Callable[[Scope], bool]) -> None:
        super().__init__(app)
        self._also = also

    def _is_compressible_file_type(self, scope: Scope) -> bool:
        return self._also(scope) or super()._is_compressible_file_type(scope)
