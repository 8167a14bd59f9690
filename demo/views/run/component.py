"""One training run on the page: where it stands, its curves, samples and probe sentence, updated in place.

Root element: `section.run-view`, inside the block that `elem_id` names. `data-ready` counts the values drawn
to the end, charts included; `data-state` is the run's state, or "none"; `data-work` is what it is for;
`data-step` is the step of the evaluation that the scrubber shows, `data-following` is "true" while that is
the newest one. While a run rests and is in sight, the event `rest` asks every few seconds whether it still
does.
"""

from __future__ import annotations

from typing import Any

from demo.service.training.run_report import RunReport
from demo.views.run.payload import run_payload
from demo.views.shared.payload import json_text
from demo.views.shared.plotly import plotly_address
from demo.views.shared.view import View, coloured


class RunView(View):
    """Draws a `RunReport`, or a sentence that says why there is none any more.

    Scrubbing through the training and zooming ask the server nothing.

    Send a new report whenever there is one: what the reader chose stays, until the report is of another run.
    """

    def __init__(
        self,
        value: RunReport | str | None = None,
        *,
        label: str | None = "Training run",
        elem_id: str | None = None,
        **options: Any,
    ) -> None:
        """`options` are those of `gr.HTML`; the template and the code are fixed."""
        super().__init__(
            "run",
            value,
            style=coloured(".run-view", "run/view.css"),
            events=("rest",),
            label=label,
            elem_id=elem_id,
            plotly_source=plotly_address(),
            **options,
        )

    def postprocess(self, value: RunReport | str | None) -> str | None:
        """What the browser draws: one string, which Gradio sends only if it differs from the last."""
        if isinstance(value, str):
            return json_text({"gone": value})
        return None if value is None else run_payload(value)

    def preprocess(self, payload: str | None) -> None:
        """Nothing: what comes back from a browser is not the report that was sent."""

    def api_info(self) -> dict[str, Any]:
        """What the client library says of the value."""
        return {"type": "string", "description": "A training run, prepared for drawing, as JSON text."}
