"""A comparison on the page: who made which mistake, the outputs with their numbers, files to take along.

Root element: `section.compare`, inside the block that `elem_id` names. `data-kind` is none, strategies or
pair; `data-ready` counts the comparisons drawn to the end; `data-running` is "true" while rows are missing;
`data-open` is the row, or side, that the reader opened.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import gradio as gr

from demo.comparison.result import PairComparison, StrategyComparison
from demo.components.compare_payload import pair_payload, strategies_payload
from demo.figures.palette import DARK, LIGHT, css_variables

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = (
    *("translate", "dom", "picture_source", "picture_look", "picture_figure"),
    *("compare_texts", "compare_grid", "compare_columns", "compare_table", "compare_verdict"),
    *("compare_pair", "compare_csv", "compare_picture", "compare"),
)


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


STYLE = "\n".join(
    (
        f".compare {{{css_variables(LIGHT)}}}",
        f".dark & .compare {{{css_variables(DARK)}}}",
        _asset("compare.css"),
        _asset("picture_look.css"),
    )
)
SOURCE = "function compareView(element, props, watch, trigger) {{\n{}\n}}".format(
    "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
)


class CompareView(gr.HTML):
    """Draws a `StrategyComparison` or a `PairComparison`; sorting and pinning ask the server nothing.

    Event `open`: the reader wants a row in full; `opened` is the script that says which.
    """

    def __init__(
        self, value: StrategyComparison | PairComparison | None = None, *, elem_id: str, **options: Any
    ) -> None:
        """`options` are those of `gr.HTML`; the template and the code are fixed."""
        super().__init__(
            value=value,
            elem_id=elem_id,
            html_template=_asset("compare.html"),
            css_template=STYLE,
            js_on_load=f"{SOURCE}\ncompareView(element, props, watch, trigger);",
            palette=asdict(LIGHT),
            apply_default_css=False,
            **options,
        )

    @property
    def opened(self) -> str:
        """JavaScript for the `js` of `open`: what to decode, as the handler's only value."""
        return f"() => [JSON.parse(document.querySelector('#{self.elem_id} .compare').dataset.opened)]"

    @property
    def mark_stopped(self) -> str:
        """JavaScript for the `js` of a Stop button: rows that are not done will not be."""
        return (
            f"() => {{ const view = document.querySelector('#{self.elem_id} .compare'); "
            "view.dataset.stopped = 'true'; view.dataset.running = 'false'; }"
        )

    def preprocess(self, payload: Any) -> Any:
        """As it came: from a browser, so check it."""
        return payload

    def postprocess(self, value: StrategyComparison | PairComparison | None) -> dict[str, Any] | None:
        """As the browser reads it."""
        if value is None:
            return None
        return strategies_payload(value) if isinstance(value, StrategyComparison) else pair_payload(value)

    def api_info(self) -> dict[str, Any]:
        """What the endpoints return."""
        return {
            "type": "object",
            "description": "summary: sentences; rows or sides: text, logProb, score, length, ms and more; "
            "finished: whether more is to come",
        }

    def example_payload(self) -> Any:
        """For the page that documents the API."""
        return {"checkpoint": "spa-eng-gru", "text": "¿Dónde está la biblioteca?", "settings": {}}
