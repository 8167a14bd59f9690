"""All checkpoints at a glance, in chapters, and their quality on short and on long sources.

Root element: `section.gallery`, inside the block that `elem_id` names. `data-ready` counts the complete
drawings, charts included; `data-state` is waiting or shown.
"""

from __future__ import annotations

from typing import Any

from demo.checkpoints.gallery.payload import Gallery, gallery_payload
from demo.widgets.view.assets import asset, plotly_address
from demo.widgets.view.view import View, with_colours

STYLES = ("checkpoints/gallery/view.css", "widgets/menus/menu.css", "widgets/answers/shown.css")
INSIDE = asset("widgets/answers/shown.html").replace("TITLE", "Quality against source length")


class CheckpointGallery(View):
    """Draws a `Gallery`; text of a card is never read as HTML.

    Event `open`: `{"name": str}`, the checkpoint to open; it comes from the browser, so check it.
    """

    reads_browser = False

    def __init__(self, *, elem_id: str, **options: Any) -> None:
        """The view is empty until its first value arrives; `options` are those of `gr.HTML`."""
        super().__init__(
            "checkpoints/gallery",
            template=asset("checkpoints/gallery/view.html").replace("SHOWN", INSIDE),
            style=with_colours(".gallery", *STYLES),
            events=("open",),
            elem_id=elem_id,
            plotly_source=plotly_address(),
            **options,
        )

    def postprocess(self, value: Gallery | None) -> str | None:
        """Convert the value to one string, which Gradio sends only if it differs from the last one."""
        return None if value is None else gallery_payload(value)
