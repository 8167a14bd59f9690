"""Models of the Hub on the page: a curated list, a field for any other, progress and problems at each.

Root element: `section.hub`, inside the block that `elem_id` names. `data-ready` counts the states drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from demo.components.hub_payload import shelf_payload, state_payload
from demo.figures.palette import DARK, LIGHT, css_variables
from demo.hub.service import Hub
from demo.hub.state import HubState

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = ("translate", "dom", "hub_card", "hub")


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


STYLE = "\n".join(
    (
        f".hub {{{css_variables(LIGHT)}}}",
        f".dark & .hub {{{css_variables(DARK)}}}",
        _asset("gallery.css").replace(".gallery", ".hub"),  # the same cards
        _asset("hub.css"),
    )
)
SOURCE = "function hubShelf(element, props, watch, trigger) {{\n{}\n}}".format(
    "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
)


class HubShelf(gr.HTML):
    """Draws a `HubState`; text of the Hub is never read as HTML.

    Events `look` and `fetch` (`{"repo": str, "revision": str}`), `forgo`, `open` and `discard`
    (`{"repo": str}`): from the browser, so check them.
    """

    def __init__(self, hub: Hub, *, elem_id: str, **options: Any) -> None:
        """Without buttons that do anything until it is sent its first state."""
        self._hub = hub
        super().__init__(
            value=None,
            elem_id=elem_id,
            html_template=_asset("hub.html"),
            css_template=STYLE,
            js_on_load=f"{SOURCE}\nhubShelf(element, props, watch, trigger);",
            **self.spoken_props(),
            apply_default_css=False,
            **options,
        )

    def spoken_props(self) -> dict[str, Any]:
        """What it lists, in the language of the request."""
        return {"shelf": shelf_payload(self._hub)}

    def postprocess(self, value: HubState | None) -> str | None:
        """What the browser draws."""
        return None if value is None else state_payload(value)

    def preprocess(self, payload: str | None) -> None:
        """Nothing: what comes back from a browser is not what was sent."""

    def api_info(self) -> dict[str, Any]:
        """What the client library says of the value."""
        return {"type": "string", "description": "Models of the Hub, prepared for drawing, as JSON text."}
