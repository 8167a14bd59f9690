"""Models of the Hub on the page: a curated list, a field for any other, and the progress of each.

Root element: `section.hub`, inside the block that `elem_id` names. `data-ready` counts the states drawn.
"""

from __future__ import annotations

from typing import Any

from demo.checkpoints.hub_shelf.payload import shelf_payload, state_payload
from demo.widgets.view.assets import asset
from demo.widgets.view.view import View, with_colours
from demo.work.hub import Hub, HubState

CARDS = asset("checkpoints/gallery/view.css").replace(".gallery", ".hub")  # the same style of cards
STYLE = "\n".join((with_colours(".hub"), CARDS, asset("checkpoints/hub_shelf/view.css")))


class HubShelf(View):
    """Draws a `HubState`; text of the Hub is never read as HTML.

    Events `lookup` and `fetch` (`{"repo": str, "revision": str}`), `forgo`, `open` and `discard`
    (`{"repo": str}`) come from the browser, so check them.
    """

    reads_browser = False

    def __init__(self, hub: Hub, *, elem_id: str, **options: Any) -> None:
        """The buttons do nothing until the first state arrives."""
        self._hub = hub
        super().__init__(
            "checkpoints/hub_shelf",
            style=STYLE,
            events=("lookup", "fetch", "forgo", "open", "discard"),
            elem_id=elem_id,
            **self.translated_props(),
            **options,
        )

    def translated_props(self) -> dict[str, Any]:
        """The list of models in the language of the request."""
        return {"shelf": shelf_payload(self._hub)}

    def postprocess(self, value: HubState | None) -> str | None:
        """Convert the state for the browser."""
        return None if value is None else state_payload(value)
