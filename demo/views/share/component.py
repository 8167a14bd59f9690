"""“Copy link” beside a result, with a fold-out for a link that leaves parts of the page out.

Root element: `div.share`, inside the block that `elem_id` names. `links.js` of the page makes the link.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gradio.components import Component

from demo.views.share.qr_code import qr_code
from demo.views.shared.view import View


class ShareBar(View):
    """Event `gather`: the reader wants a link, for which the values of the tab's controls are needed."""

    def __init__(self, tab: str, **options: Any) -> None:
        """`options` are those of `gr.HTML`; the template and the code are fixed."""
        super().__init__(
            "share",
            events=("gather",),
            tab=tab,
            elem_id=f"share-{tab}",
            server_functions=[qr_code],
            **options,
        )

    def wire(self, controls: Mapping[str, Component]) -> None:
        """Hand over the values of `controls`, by the names of a link's parameters, without the server."""
        names = json.dumps(list(controls))
        script = f"(...values) => {{ unrolled.gather({json.dumps(self.tab)}, {names}, values); }}"
        self.gather(None, list(controls.values()), None, js=script, api_visibility="private")

    @property
    def tab(self) -> str:
        """The tab whose link it makes."""
        return str(self.props["tab"])
