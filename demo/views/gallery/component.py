"""Every checkpoint at a glance, in chapters, and how well they do on short and on long sources.

Root element: `section.gallery`, inside the block that `elem_id` names. `data-ready` counts the values drawn
to the end, charts included; `data-state` is waiting or shown.
"""

from __future__ import annotations

from typing import Any

from demo.views.gallery.payload import Gallery, gallery_payload
from demo.views.shared.plotly import plotly_address
from demo.views.shared.view import View, coloured


class CheckpointGallery(View):
    """Draws a `Gallery`; text of a card is never read as HTML.

    Event `open`: `{"name": str}`, the checkpoint that the reader wants; from the browser, so check it.
    """

    def __init__(self, *, elem_id: str, **options: Any) -> None:
        """Empty until it is sent its first value; `options` are those of `gr.HTML`."""
        super().__init__(
            "gallery",
            style=coloured(".gallery", "gallery/view.css"),
            events=("open",),
            elem_id=elem_id,
            plotly_source=plotly_address(),
            **options,
        )

    def postprocess(self, value: Gallery | None) -> str | None:
        """What the browser draws: one string, which Gradio sends only if it differs from the last."""
        return None if value is None else gallery_payload(value)

    def preprocess(self, payload: str | None) -> None:
        """Nothing: what comes back from a browser is not what was sent."""

    def api_info(self) -> dict[str, Any]:
        """What the client library says of the value."""
        return {"type": "string", "description": "All checkpoints, prepared for drawing, as JSON text."}
