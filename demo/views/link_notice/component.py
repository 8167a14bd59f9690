"""What a link asked for in vain, and that it hides parts of the page. Written by the page's scripts."""

from __future__ import annotations

from typing import Any

from demo.views.shared.view import View

TEMPLATE = """
<div class="link-notice" role="status" hidden>
  <div><p>Not everything in this link could be followed:</p><ul></ul></div>
  <button type="button">Dismiss</button>
</div>
<p class="link-hidden">This link leaves parts of the page out. <button type="button">Show all</button></p>
"""


class LinkNotice(View):
    """Its value is what a link asks of the page's script; it shows nothing until the script fills it in.

    Event `fill`: the tab of the link has been opened, so its widgets can be filled in. Event `visit`: open
    what the event's data name, as the parameters of an address would.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__("link_notice", template=TEMPLATE, style="", events=("fill", "visit"), **options)

    def preprocess(self, payload: Any) -> None:
        """Nothing: the server wrote it."""

    def api_info(self) -> dict[str, Any]:
        """What the client library says of the value."""
        return {"type": "object", "description": "tab, run, view, mode, faults, names"}
