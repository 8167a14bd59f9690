"""One training run on the page: its state, curves, samples and probe sentence, updated in place.

Root element: `section.run-view`, inside the block that `elem_id` names. `data-ready` counts the complete
drawings, charts included; `data-state` is the run's state, or "none"; `data-work` is its kind of work;
`data-step` is the step of the evaluation under the scrubber, `data-following` is "true" while that is the
newest one. While a resting run is visible, the event `rest` checks every few seconds whether it still rests.
"""

from __future__ import annotations

from typing import Any

from demo.training.run.payload import run_payload
from demo.training.work.run_report import RunReport
from demo.widgets.view.assets import plotly_address
from demo.widgets.view.payload import json_text
from demo.widgets.view.view import View, with_colours


class RunView(View):
    """Draws a `RunReport`, or a sentence that says why there is none any more.

    Scrubbing and zooming need no server. A new report of the same run keeps the reader's choices.
    """

    reads_browser = False

    def __init__(self, value: RunReport | str | None = None, **options: Any) -> None:
        """`options` are those of `gr.HTML`; the template and the code are fixed."""
        super().__init__(
            "training/run",
            value,
            style=with_colours(".run-view", "training/run/view.css"),
            events=("rest",),
            label="Training run",
            plotly_source=plotly_address(),
            **options,
        )

    def postprocess(self, value: RunReport | str | None) -> str | None:
        """Convert the value to one string, which Gradio sends only if it differs from the last one."""
        if isinstance(value, str):
            return json_text({"gone": value})
        return None if value is None else run_payload(value)
