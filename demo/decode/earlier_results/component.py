"""The earlier results of a visit, which the browser stores, and traces from files, all without decoding anew.

Root element: `div.results`, inside the block that `elem_id` names.
"""

from __future__ import annotations

from typing import Any

from demo.decode.earlier_results.trace_file import read_trace_file
from demo.widgets.strategy_picker.component import describe
from demo.widgets.view.view import View


class ResultsMenu(View):
    """The list of the last results. The value tells the script whether the controls show a result's request.

    Event `reopen`: `{"checkpoint", "text", "settings", "run"}`; it comes from the browser, so check it.
    """

    root_selector = ".results"
    reads_browser = False

    def __init__(self, *, elem_id: str, **options: Any) -> None:
        """`options` are those of `gr.HTML`; the template and the code are fixed."""
        super().__init__(
            "decode/earlier_results",
            events=("reopen",),
            elem_id=elem_id,
            server_functions=[read_trace_file, describe],
            **options,
        )

    @property
    def checkpoint_filled(self) -> str:
        """JavaScript that receives the value when the controls are filled in for another checkpoint."""
        return f"(value) => {{ {self.functions}.checkpointFilled(value); }}"

    @property
    def filled(self) -> str:
        """JavaScript that receives the value when the controls are filled in, nothing when that failed."""
        return f"(value) => {{ {self.functions}.onFilled(value); }}"
