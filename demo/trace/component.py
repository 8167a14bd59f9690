"""One decoding, shown from every side: output, steps, attention and search, linked in the browser.

Root element: `section.trace-view`, inside the block that `elem_id` names. Its data attributes describe the
view: `data-ready` counts the complete drawings, charts included; `data-step` (from 0), `data-node`
(the id of the node at that step) and `data-hypothesis` (-1 off every hypothesis) follow the selection;
`data-stale` is "true" while the form requests something else than the result, and "file" if that result
came from a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from demo.trace.assets import STYLE, page_shell, template
from demo.trace.payload import trace_payload
from demo.widgets.view.assets import plotly_address
from demo.widgets.view.view import View
from models.decoding.trace import DecodingTrace


class TraceView(View):
    """Draws a `DecodingTrace`; stepping and choosing need no server.

    Event `select`: `{"step": int, "node": int, "hypothesis": int}`, 0.3 s after the reader's last move.
    Event `error`: a refusal, which Gradio's page shows as a message. Data that comes from the browser must be
    checked.
    """

    reads_browser = False

    def __init__(
        self,
        value: DecodingTrace | None = None,
        *,
        server_functions: Sequence[Callable[..., object]] = (),
        label_of: Callable[[str], str] = str,
        **options: Any,
    ) -> None:
        """`options` are those of `gr.HTML`; with `editable`, edits are offered and stand beside the original.

        `label_of` returns the label of a checkpoint.

        The view calls the `server_functions` by name: those of `demo.decode.server_functions`, which begin a
        decoding, and those of `demo.inspect.server_functions`.
        """
        self._label_of = label_of
        super().__init__(
            "trace",
            value,
            template=template(),
            style=STYLE,
            events=("select",),
            server_functions=[shell, *server_functions],
            plotly_source=plotly_address(),
            **options,
        )

    def postprocess(self, value: DecodingTrace | None) -> str | None:
        """Convert the value to one string, since Gradio compares values at every update.

        The first line differs each time, so that Gradio also sends an answer that equals the last one.
        """
        return None if value is None else f"{uuid4().hex}\n{trace_payload(value, self._label_of)}"


def shell(_: object = None) -> str:
    """The exported page without Plotly and the trace, which the browser has; the argument is not used."""
    return page_shell()
