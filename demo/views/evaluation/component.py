"""An evaluation on the page: how it goes, then its parts and its rows.

Root element: `section.evaluation`, inside the block that `elem_id` names. `data-stage` is none, waiting,
running, done, stopped, failed or gone; `data-ready` counts the evaluations drawn to the end. Script and style
are fetched when the tab is opened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from demo.figures.palette import dark_by_light
from demo.server.assets import address, register_text
from demo.views.shared.assets import asset
from demo.views.shared.modules import late_address
from demo.views.shared.plotly import plotly_address
from demo.views.shared.view import View, coloured_sheet

STYLES = "evaluation-style", "evaluation.css"
SHEETS = ("evaluation/late/view.css", "shared/menu.css", "shared/answers/shown.css")
INSIDE = asset("shared/answers/shown.html").replace("TITLE", "The numbers of the evaluation")
TEMPLATE = asset("evaluation/view.html").replace("SHOWN", INSIDE)


class EvaluationView(View):
    """Its value names an evaluation that has begun, by its secret key; it asks for the rest by itself.

    Events: `shown`, somebody looks for the first time, and nothing of theirs is kept; `linked`, a link says
    what to ask; `retrain`, the reader wants to know what is written without some training pairs.
    """

    def __init__(self, *, elem_id: str, server_functions: Sequence[Callable[..., object]]) -> None:
        """`server_functions` are those of `demo.tabs.evaluate.server_functions`."""
        register_text(
            *STYLES,
            coloured_sheet(
                ".evaluation", "evaluation/late/view.css", "shared/menu.css", "shared/answers/shown.css"
            ),
        )
        super().__init__(
            "evaluation",
            template=TEMPLATE,
            style="",
            events=("shown", "linked", "retrain"),
            elem_id=elem_id,
            server_functions=list(server_functions),
            late=late_address("evaluation"),
            late_style=address(*STYLES),
            dark=dark_by_light(),
            plotly_source=plotly_address(),
        )

    @property
    def asked(self) -> str:
        """JavaScript for the `js` of `linked`: checkpoints and strategies, as the link has them."""
        return f"(checkpoints, strategies) => {self._hands}.asked(checkpoints, strategies)"

    def requested(self, names: Iterable[str]) -> str:
        """JavaScript for the `js` of what begins an evaluation: notes the values of the fields `names`."""
        return f"(...values) => {self._hands}.requested({json.dumps(list(names))}, values)"

    @property
    def removal(self) -> str:
        """JavaScript for the `js` of `retrain`: the output and the pairs to leave out, and the visitor."""
        return f"(value, visitor) => [{self._hands}.removal(), visitor]"

    @property
    def _hands(self) -> str:
        return f"document.querySelector('#{self.elem_id} .evaluation').unrolled"

    def preprocess(self, payload: Any) -> Any:
        """As it came: from a browser, so check it."""
        return payload

    def postprocess(self, value: dict[str, str] | None) -> dict[str, str] | None:
        """As the browser reads it."""
        return value

    def api_info(self) -> dict[str, Any]:
        """What the client library says of the value."""
        return {"type": "object", "description": "key: of the evaluation that has begun"}

    def example_payload(self) -> Any:
        """For the page that documents the API."""
        return {"key": ""}
