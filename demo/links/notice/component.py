"""Messages about a link, from the page's scripts: its faults, and that it hides parts of the page."""

from __future__ import annotations

from typing import Any

from demo.widgets.view.view import View

TEMPLATE = """
<div class="link-notice" role="status" hidden>
  <div><p>Parts of this link could not be applied:</p><ul></ul></div>
  <button type="button">Dismiss</button>
</div>
<p class="link-hidden">This link hides parts of the page. <button type="button">Show all</button></p>
"""


class LinkNotice(View):
    """A notice about a link: the value is the server's message, which the page's script shows.

    Event `fill`: the tab of the link has been opened, so its widgets can be filled in. Event `visit`: open
    the event's data like the parameters of an address.
    """

    reads_browser = False

    def __init__(self, **options: Any) -> None:
        super().__init__("links/notice", template=TEMPLATE, style="", events=("fill", "visit"), **options)
