"""An evaluation on the page: its progress, then its parts and its rows.

Root element: `section.evaluation`, inside the block that `elem_id` names. `data-stage` is none, waiting,
running, done, stopped, failed or gone; `data-ready` counts the drawings that are complete. Script and style
are fetched when the tab is opened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from demo.figures.drawing.palette import dark_by_light
from demo.server.assets import address, register_text
from demo.views.shared.assets import asset
from demo.views.shared.modules import lazy_address
from demo.views.shared.plotly import plotly_address
from demo.views.shared.view import View, coloured_sheet

STYLES = "evaluation-style", "evaluation.css"
SHEETS = ("evaluation/lazy/view.css", "shared/menus/menu.css", "shared/answers/shown.css")
INSIDE = asset("shared/answers/shown.html").replace("TITLE", "The numbers of the evaluation")
TEMPLATE = asset("evaluation/view.html").replace("SHOWN", INSIDE)


class EvaluationView(View):
    """The view of an evaluation, whose value is its secret key; the script asks for the rest.

    Events: `shown`, a visitor without an earlier evaluation opens the tab; `linked`, a link or an earlier
    evaluation has values for the form.
    """

    root_selector = ".evaluation"

    def __init__(self, *, elem_id: str, server_functions: Sequence[Callable[..., object]]) -> None:
        """Take the server functions of `demo.tabs.evaluate.server_functions`."""
        register_text(*STYLES, coloured_sheet(".evaluation", *SHEETS))
        super().__init__(
            "evaluation",
            template=TEMPLATE,
            style="",
            events=("shown", "linked"),
            elem_id=elem_id,
            server_functions=list(server_functions),
            lazy=lazy_address("evaluation"),
            lazy_style=address(*STYLES),
            dark=dark_by_light(),
            plotly_source=plotly_address(),
        )

    def script(self, function: str, names: Iterable[str]) -> str:
        """JavaScript for the `js` of an event: it calls a function of the view with the values of fields."""
        return f"(...values) => {self.functions}.{function}({json.dumps(list(names))}, values)"
