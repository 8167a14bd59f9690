"""The roles of a table's columns, above its first rows; a reader may change them.

Root element: `div.cl`; `data-state` is empty, table or problem; each column heading holds a `select`;
a checkbox says whether the first line names the columns.
"""

from __future__ import annotations

from typing import Any

from demo.i18n import say
from demo.widgets.columns.choice import ShownColumns
from demo.widgets.view.view import View, with_colours

TEMPLATE = """
<div class="cl" data-state="empty">
  <p class="cl-problem" role="status"></p>
  <label class="cl-header" hidden><input type="checkbox"> <span></span></label>
  <div class="cl-scroll" tabindex="0" role="region">
    <table><thead><tr></tr></thead><tbody></tbody></table>
  </div>
</div>
"""


class ColumnsView(View):
    """Shows a table's columns; hidden until there is a table. Event `chosen`: the reader changes a role.

    The value from a browser is checked by `ColumnChoice.parse`.
    """

    def __init__(self, **settings: Any) -> None:
        style = with_colours(".cl", "widgets/columns/view.css")
        super().__init__("widgets/columns", template=TEMPLATE, style=style, events=("chosen",), **settings)

    def postprocess(self, value: ShownColumns | None) -> dict[str, Any] | None:
        """Convert the value for the browser."""
        if value is None:
            return None
        labels = {"label": say("What each column is"), "heading": say("The first line names the columns")}
        return {**value.to_dict(), **labels}
