"""A comparison on the page: who made which mistake, the outputs with their numbers, files to take along.

Root element: `section.compare`, inside the block that `elem_id` names. `data-kind` is none, strategies or
pair; `data-ready` counts the comparisons drawn to the end; `data-running` is "true" while rows are missing;
`data-open` is the row, or side, that the reader opened.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from demo.figures.palette import LIGHT, dark_by_light
from demo.service.comparison.result import PairComparison, StrategyComparison
from demo.views.compare.payload import Label, pair_payload, strategies_payload
from demo.views.shared.assets import asset
from demo.views.shared.plotly import plotly_address
from demo.views.shared.view import View, coloured

SHEETS = (
    "compare/view.css",
    "shared/pictures/picture_look.css",
    "shared/menu.css",
    "shared/answers/shown.css",
)
INSIDE = asset("shared/answers/shown.html").replace("TITLE", "The numbers of the curve")


class CompareView(View):
    """Draws a `StrategyComparison` or a `PairComparison`; sorting and pinning ask the server nothing.

    Events: `shown`, somebody looks for the first time; `open`, the reader wants a row in full, `opened` says
    which; `keep`, the reader wants the reference that was put aside; `carry`, the page has a sentence for it;
    `widen`, the reader wants a search at every beam width.
    """

    def __init__(
        self,
        value: StrategyComparison | PairComparison | None = None,
        *,
        elem_id: str,
        label_of: Label = str,
        **options: Any,
    ) -> None:
        """`label_of` says what a checkpoint is called; `options` are those of `gr.HTML`."""
        self._label_of = label_of
        super().__init__(
            "compare",
            value,
            template=asset("compare/view.html").replace("SHOWN", INSIDE),
            style=coloured(".compare", *SHEETS),
            events=("open", "shown", "keep", "carry", "widen"),
            elem_id=elem_id,
            palette=asdict(LIGHT),
            dark=dark_by_light(),
            plotly_source=plotly_address(),
            **options,
        )

    @property
    def opened(self) -> str:
        """JavaScript for the `js` of `open`: what to decode, as the handler's only value."""
        return f"() => [JSON.parse(document.querySelector('#{self.elem_id} .compare').dataset.opened)]"

    @property
    def checked(self) -> str:
        """JavaScript from a text and a reference to both, but for a reference of another text."""
        return f"(text, reference) => {self._hands}.checked(text, reference)"

    @property
    def given(self) -> str:
        """JavaScript that takes note of a text and its reference, which were filled in together."""
        return f"(text, reference) => {{ {self._hands}.given(text, reference); }}"

    @property
    def aside(self) -> str:
        """JavaScript for the `js` of `keep`: the reference that was put aside."""
        return f"() => {self._hands}.aside()"

    @property
    def widened(self) -> str:
        """JavaScript for the `js` of `widen`: what to compare, by the fields of a comparison."""
        return f"() => {self._hands}.widened()"

    @property
    def mark_stopped(self) -> str:
        """JavaScript for the `js` of a Stop button: rows that are not done will not be."""
        return f"() => {self._hands}.stop()"

    @property
    def reveal_opened(self) -> str:
        """JavaScript for when the row is there in full: it is brought into sight."""
        return f"() => {self._hands}.revealOpened()"

    @property
    def _hands(self) -> str:
        return f"document.querySelector('#{self.elem_id} .compare').unrolled"

    def preprocess(self, payload: Any) -> Any:
        """As it came: from a browser, so check it."""
        return payload

    def postprocess(self, value: StrategyComparison | PairComparison | None) -> dict[str, Any] | None:
        """As the browser reads it."""
        if value is None:
            return None
        if isinstance(value, StrategyComparison):
            return strategies_payload(value, self._label_of)
        return pair_payload(value, self._label_of)

    def api_info(self) -> dict[str, Any]:
        """What the endpoints return."""
        return {
            "type": "object",
            "description": "summary: sentences; rows or sides: text, logProb, score, length, ms and more; "
            "finished: whether more is to come",
        }

    def example_payload(self) -> Any:
        """For the page that documents the API."""
        return {"checkpoint": "spa-eng-gru", "text": "¿Dónde está la biblioteca?", "settings": {}}
