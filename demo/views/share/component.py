"""“Copy link” beside a result, with a fold-out for a link that leaves parts of the page out.

Root element: `div.share`, inside the block that `elem_id` names. `links.js` of the page makes the link.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gradio.components import Component

from demo.views.share.qr_code import qr_code
from demo.views.shared.view import View, coloured

STYLE = coloured(".share", "share/view.css", "shared/answers/program.css")


class ShareBar(View):
    """Event `gather`: the reader wants a link, for which the values of the tab's controls are needed."""

    def __init__(self, tab: str, *, files: str = "", **options: Any) -> None:
        """`files` is the CSS of buttons elsewhere on the page that join the link once they are made.

        `options` are those of `gr.HTML`; the template and the code are fixed.
        """
        super().__init__(
            "share",
            style=STYLE,
            events=("gather",),
            server_functions=[qr_code],
            tab=tab,
            files=files,
            elem_id=f"share-{tab}",
            **options,
        )

    def wire(self, controls: Mapping[str, Component]) -> None:
        """Hand over the values of `controls` by the names of a link's parameters, without the server.

        The page's script gets them at each change, and when it asks.
        """
        names, widgets = json.dumps(list(controls)), list(controls.values())
        script = f"(...values) => {{ unrolled.gather({json.dumps(self.tab)}, {names}, values); }}"
        for on in (self.gather, *(widget.change for widget in widgets)):  # type: ignore[attr-defined]
            on(None, widgets, None, js=script, trigger_mode="multiple", api_visibility="private")

    @property
    def tab(self) -> str:
        """The tab whose link it makes."""
        return str(self.props["tab"])
