"""The data of a training run: counts, histograms of lengths, some pairs, and the unusable rows.

Root element: `div.dp`; `data-ready` counts the drawn values; `data-state` is empty, data, corrections or
problem; `data-stale` is "true" when the form has changed since the current value was requested.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from demo.i18n import say
from demo.training.work.data_previews import DataPreview
from demo.widgets.view.view import View, with_colours
from models.corpus.corrections import Correction

DataValue = DataPreview | tuple[Correction, ...] | str | None

TEMPLATE = """
<div class="dp" data-ready="0" data-state="empty" data-stale="false">
  <p class="dp-empty">Choose data, then look at it: counts, lengths and examples appear here.</p>
  <p class="dp-stale" role="status">The form has changed since: look at the data again.</p>
  <p class="dp-problem" role="status"></p>
  <div class="dp-body"></div>
</div>
"""


class DataView(View):
    """Shows a `DataPreview`, or corrections, or a sentence that says why there is neither.

    Event `gather`: the form has changed, and the address needs its values.
    No text is read as HTML.
    """

    root_selector = ".dp"
    reads_browser = False

    def __init__(self, value: DataValue = None, **settings: Any) -> None:
        style = with_colours(".dp", "training/data_preview/view.css")
        options = {"template": TEMPLATE, "style": style, "events": ("gather",), **settings}
        super().__init__("training/data_preview", value, **options)

    @property
    def changed(self) -> str:
        """JavaScript that notes a change of the form, which makes the current value outdated."""
        return f"() => {{ {self.functions}?.changed(); }}"

    @property
    def requested(self) -> str:
        """JavaScript for the `js` of a request for another value, which includes all changes so far."""
        return f"(...values) => {{ {self.functions}?.requested(); return values; }}"

    @property
    def answered(self) -> str:
        """JavaScript for when the requested value has arrived."""
        return f"() => {{ {self.functions}?.answered(); }}"

    def postprocess(self, value: DataValue) -> dict[str, Any]:
        """Convert the value for the browser."""
        if isinstance(value, DataPreview):
            return {"state": "data", **asdict(value)}
        if isinstance(value, tuple):
            rows = [
                (correction.source, correction.model_output, correction.correction) for correction in value
            ]
            summary = say("Corrections: {count}.", count=f"{len(rows):,}")
            return {"state": "corrections", "description": summary, "corrections": rows}
        return {"state": "problem" if value else "empty", "problem": value or ""}
