"""Every checkpoint at a glance, in chapters, and how well they do on short and on long sources.

Root element: `section.gallery`, inside the block that `elem_id` names. `data-ready` counts the values drawn
to the end, charts included; `data-state` is waiting or shown.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from demo.components.gallery_payload import Gallery, gallery_payload
from demo.components.trace_assets import plotly_file
from demo.figures.palette import DARK, LIGHT, css_variables

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = ("translate", "dom", "charts", "markdown", "gallery_charts", "gallery")


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


STYLE = "\n".join(
    (
        f".gallery {{{css_variables(LIGHT)}}}",
        f".dark & .gallery {{{css_variables(DARK)}}}",
        _asset("gallery.css"),
    )
)
SOURCE = "function galleryView(element, props, watch, trigger) {{\n{}\n}}".format(
    "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
)


class CheckpointGallery(gr.HTML):
    """Draws a `Gallery`; text of a card is never read as HTML.

    Event `open`: `{"name": str}`, the checkpoint that the reader wants; from the browser, so check it.
    """

    def __init__(self, *, elem_id: str, **options: Any) -> None:
        """Empty until it is sent its first value; `options` are those of `gr.HTML`."""
        plotly = plotly_file()
        gr.set_static_paths([plotly])
        super().__init__(
            value=None,
            elem_id=elem_id,
            html_template=_asset("gallery.html"),
            css_template=STYLE,
            js_on_load=f"{SOURCE}\ngalleryView(element, props, watch, trigger);",
            plotly_source=f"gradio_api/file={plotly}",
            apply_default_css=False,
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
