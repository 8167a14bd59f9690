"""The labs of the course: a list, and the open lab, drawn like the views of Inspect.

Root element: `section.labs`, inside the block that `elem_id` names. `data-ready` counts the drawn answers,
and `data-lab` names the open lab.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from demo.widgets.figures.figure import dark_by_light
from demo.widgets.view.assets import asset, plotly_address
from demo.widgets.view.view import View, with_colours

ANSWERS = ("widgets/answers/shown.css", "widgets/answers/program.css")
STYLE = with_colours(".labs", "learn/lab_page/view.css", "widgets/menus/menu.css", *ANSWERS)
INSIDE = asset("widgets/answers/shown.html").replace("TITLE", "The numbers of the lab")
TEMPLATE = asset("learn/lab_page/view.html").replace("SHOWN", INSIDE)


class LabsView(View):
    """The list of labs and the open one. It has no value and no event.

    Its script calls the server functions of `demo.learn.lab_page.server_functions`.
    """

    def __init__(self, *, elem_id: str, server_functions: Sequence[Callable[..., object]]) -> None:
        """`server_functions`: `list_labs` lists the labs, `compute` answers for one."""
        super().__init__(
            "learn/lab_page",
            template=TEMPLATE,
            style=STYLE,
            elem_id=elem_id,
            server_functions=list(server_functions),
            dark=dark_by_light(),
            plotly_source=plotly_address(),
        )
