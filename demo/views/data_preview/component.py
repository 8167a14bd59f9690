"""Data before training: counts, histograms of lengths, some pairs, and the rows that cannot be used.

Root element: `div.dp`; `data-ready` counts the values drawn; `data-state` is empty, data, corrections or
problem; `data-stale` is "true" once the form has changed since what is on show was asked for.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from demo.i18n import say
from demo.service.training.preview import DataPreview
from demo.views.shared.view import View, coloured
from models.corpus.corrections import Correction

Shown = DataPreview | tuple[Correction, ...] | str | None

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

    Text is never read as HTML.
    """

    def __init__(self, value: Shown = None, **settings: Any) -> None:
        style = coloured(".dp", "data_preview/view.css")
        super().__init__("data_preview", value, template=TEMPLATE, style=style, **settings)

    @property
    def changed(self) -> str:
        """JavaScript that marks what is on show as older than the form."""
        return f"() => {{ {self._hands}?.changed(); }}"

    @property
    def asked(self) -> str:
        """JavaScript for the `js` of what asks for another value: from then on, changes make that one old."""
        return f"(...values) => {{ {self._hands}?.asked(); return values; }}"

    @property
    def answered(self) -> str:
        """JavaScript for when that value has come."""
        return f"() => {{ {self._hands}?.answered(); }}"

    @property
    def _hands(self) -> str:
        return f"document.querySelector('#{self.elem_id} .dp')?.unrolled"

    def postprocess(self, value: Shown) -> dict[str, Any]:
        """As the browser reads it."""
        if isinstance(value, DataPreview):
            return {"state": "data", **asdict(value)}
        if isinstance(value, tuple):
            rows = [(each.source, each.model_output, each.correction) for each in value]
            said = say("Corrections: {count}.", count=f"{len(rows):,}")
            return {"state": "corrections", "said": said, "corrections": rows}
        return {"state": "problem" if value else "empty", "problem": value or ""}

    def preprocess(self, payload: Any) -> None:
        """Nothing: what comes back from a browser is not the data."""

    def api_info(self) -> dict[str, Any]:
        """What the endpoint returns."""
        return {"type": "object", "description": "statistics, pairs, malformed: see the class DataPreview"}
