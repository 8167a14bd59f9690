"""One training run on the page: where it stands, its curves, samples and probe sentence, updated in place.

Root element: `section.run-view`, inside the block that `elem_id` names. `data-ready` counts the values drawn
to the end, charts included; `data-state` is the run's state, or "none"; `data-step` is the step of the
evaluation that the scrubber shows, `data-following` is "true" while that is the newest one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gradio as gr

from demo.components.run_payload import run_payload
from demo.components.trace_assets import plotly_file
from demo.figures.palette import DARK, LIGHT, css_variables
from demo.run_report import RunReport

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = (
    *("translate", "dom", "charts", "compare_csv", "run_parts", "run_status", "run_scrubber", "run_curves"),
    *("run_probe", "run_samples", "run_files", "run_view"),
)


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


TEMPLATE = _asset("run_view.html")
STYLE = "\n".join(
    (
        f".run-view {{{css_variables(LIGHT)}}}",
        f".dark & .run-view {{{css_variables(DARK)}}}",
        _asset("run_view.css"),
    )
)
SOURCE = "function runView(element, props, watch) {{\n{}\n}}".format(
    "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
)


class RunView(gr.HTML):
    """Draws a `RunReport`; scrubbing through the training and zooming ask the server nothing.

    Send a new report whenever there is one: what the reader chose stays, until the report is of another run.
    """

    def __init__(
        self,
        value: RunReport | None = None,
        *,
        label: str | None = "Training run",
        elem_id: str | None = None,
        **options: Any,
    ) -> None:
        """`options` are those of `gr.HTML`; the template and the code are fixed."""
        plotly = plotly_file()
        gr.set_static_paths([plotly])
        fixed = {
            "html_template": TEMPLATE,
            "css_template": STYLE,
            "js_on_load": f"{SOURCE}\nrunView(element, props, watch);",
            "plotly_source": f"gradio_api/file={plotly}",
            "apply_default_css": False,
        }
        super().__init__(value=value, label=label, elem_id=elem_id, **(options | fixed))

    def postprocess(self, value: RunReport | None) -> str | None:
        """What the browser draws: one string, which Gradio sends only if it differs from the last."""
        return None if value is None else run_payload(value)

    def preprocess(self, payload: str | None) -> None:
        """Nothing: what comes back from a browser is not the report that was sent."""

    def api_info(self) -> dict[str, Any]:
        """What the client library says of the value."""
        return {"type": "string", "description": "A training run, prepared for drawing, as JSON text."}
