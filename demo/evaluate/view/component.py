"""An evaluation on the page: its progress, then its parts and its rows.

Root element: `section.evaluation`, inside the block that `elem_id` names. `data-stage` is none, waiting,
running, done, stopped, failed or gone; `data-ready` counts the drawings that are complete. Script and style
are fetched when the tab is opened.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence

from demo.server.assets import address, register_text
from demo.widgets.figures.figure import dark_by_light
from demo.widgets.view.assets import asset, lazy_address, plotly_address
from demo.widgets.view.view import View, with_colours

STYLES = "evaluation-style", "evaluation.css"
SHEETS = ("evaluate/view/lazy/view.css", "widgets/menus/menu.css", "widgets/answers/shown.css")
INSIDE = asset("widgets/answers/shown.html").replace("TITLE", "The numbers of the evaluation")
TEMPLATE = asset("evaluate/view/view.html").replace("SHOWN", INSIDE)


class EvaluationView(View):
    """The view of an evaluation, whose value is its secret key; the script asks for the rest.

    Events: `shown`, a visitor without an earlier evaluation opens the tab; `linked`, a link or an earlier
    evaluation has values for the form.
    """

    root_selector = ".evaluation"

    def __init__(self, *, elem_id: str, server_functions: Sequence[Callable[..., object]]) -> None:
        """Take the server functions of `demo.evaluate.server_functions`."""
        register_text(*STYLES, with_colours(".evaluation", *SHEETS, nested=False))
        super().__init__(
            "evaluate/view",
            template=TEMPLATE,
            style="",
            events=("shown", "linked"),
            elem_id=elem_id,
            server_functions=list(server_functions),
            lazy=lazy_address("evaluate/view"),
            lazy_style=address(*STYLES),
            dark=dark_by_light(),
            plotly_source=plotly_address(),
        )

    def script(self, function: str, names: Iterable[str]) -> str:
        """JavaScript for the `js` of an event: it calls a function of the view with the values of fields."""
        return f"(...values) => {self.functions}.{function}({json.dumps(list(names))}, values)"
