"""A comparison on the page: the mistakes, the outputs with their numbers, and files to download.

Root element: `section.compare`, inside the block that `elem_id` names. `data-kind` is none, strategies or
pair; `data-ready` counts the complete drawings; `data-running` is "true" while rows are missing;
`data-open` is the row, or side, that the reader opened.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from demo.compare.view.payload import Label, pair_payload, strategies_payload
from demo.compare.work.rows import PairComparison, StrategyComparison
from demo.widgets.figures.figure import LIGHT, dark_by_light
from demo.widgets.view.assets import asset
from demo.widgets.view.modules import plotly_address
from demo.widgets.view.view import View, with_colours

SHEETS = (
    "compare/view/view.css",
    "widgets/pictures/picture_overlay.css",
    "widgets/menus/menu.css",
    "widgets/answers/shown.css",
)
INSIDE = asset("widgets/answers/shown.html").replace("TITLE", "The numbers of the curve")


class CompareView(View):
    """Draws a `StrategyComparison` or a `PairComparison`; sorting and pinning need no server.

    Events: `shown`, the view is first seen; `open`, the reader opens the row of `opened` in full; `keep`, the
    reader restores the reference that was put aside; `carry`, the page carries a sentence here; `widen`,
    the reader requests a search at every beam width.
    """

    root_selector = ".compare"

    def __init__(
        self,
        value: StrategyComparison | PairComparison | None = None,
        *,
        elem_id: str,
        label_of: Label = str,
        **options: Any,
    ) -> None:
        """`label_of` returns the label of a checkpoint; `options` are those of `gr.HTML`."""
        self._label_of = label_of
        super().__init__(
            "compare/view",
            value,
            template=asset("compare/view/view.html").replace("SHOWN", INSIDE),
            style=with_colours(".compare", *SHEETS),
            events=("open", "shown", "keep", "carry", "widen"),
            elem_id=elem_id,
            palette=asdict(LIGHT),
            dark=dark_by_light(),
            plotly_source=plotly_address(),
            **options,
        )

    @property
    def opened(self) -> str:
        """JavaScript for the `js` of `open`: the row's request as the handler's only value."""
        return f"() => [JSON.parse(document.querySelector('#{self.elem_id} .compare').dataset.opened)]"

    def script(self, function: str, arguments: str = "") -> str:
        """JavaScript that calls a function of `view.js` with these arguments, and returns what it returns."""
        return f"({arguments}) => {self.functions}.{function}({arguments})"

    def postprocess(self, value: StrategyComparison | PairComparison | None) -> dict[str, Any] | None:
        """Convert the value for the browser."""
        if value is None:
            return None
        if isinstance(value, StrategyComparison):
            return strategies_payload(value, self._label_of)
        return pair_payload(value, self._label_of)
