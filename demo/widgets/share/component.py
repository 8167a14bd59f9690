"""“Copy link” beside a result, with a fold-out for a link that hides parts of the page.

Root element: `div.share`, inside the block that `elem_id` names. `links.js` of the page writes the link.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from gradio.components import Component

from demo.server.page import Answer, server_function
from demo.widgets.view.view import View, with_colours
from demo.work.requests.checks import RequestError

MAX_CHARACTERS = 800  # the code of a longer text is too fine for a camera at the back of a classroom


def on_qr_code(data: object) -> Answer:
    """The QR code of a text as a data URL. Raises RequestError if there is no text or it is too long."""
    import segno  # imported lazily, to keep the start of the page short

    text = data.get("text") if isinstance(data, Mapping) else None
    if not isinstance(text, str) or not 0 < len(text) <= MAX_CHARACTERS:
        raise RequestError(
            "no_qr_code",
            "The page makes a QR code of 1 to {limit} characters: a longer one is hard to scan. "
            "Send a longer link as text.",
            limit=MAX_CHARACTERS,
        )
    code: Any = segno.make_qr(text, error="m")
    return {"image": code.svg_data_uri(scale=4, dark="#000", light="#fff")}


qr_code = server_function("qr_code", lambda data, _: partial(on_qr_code, data))
STYLE = with_colours(".share", "widgets/share/view.css", "widgets/answers/program.css")


class ShareBar(View):
    """Event `gather`: the reader copies a link, which needs the values of the tab's controls."""

    def __init__(self, tab: str, *, files: str = "", **options: Any) -> None:
        """`files` is the CSS selector of buttons elsewhere on the page, which move beside the link.

        `options` are those of `gr.HTML`; the template and the code are fixed.
        """
        super().__init__(
            "widgets/share",
            style=STYLE,
            events=("gather",),
            server_functions=[qr_code],
            tab=tab,
            files=files,
            elem_id=f"share-{tab}",
            **options,
        )

    def wire(self, controls: Mapping[str, Component]) -> None:
        """Give the page's script the values of `controls`, by the names of a link's parameters.

        The script receives them at each change, and on request, without the server.
        """
        names, widgets = json.dumps(list(controls)), list(controls.values())
        script = f"(...values) => {{ unrolled.gather({json.dumps(self.tab)}, {names}, values); }}"
        for on in (self.gather, *(widget.change for widget in widgets)):  # type: ignore[attr-defined]
            on(None, widgets, None, js=script, trigger_mode="multiple", api_visibility="private")

    @property
    def tab(self) -> str:
        """The tab whose link it makes."""
        return str(self.props["tab"])
