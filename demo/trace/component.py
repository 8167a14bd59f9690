"""One decoding, shown from every side: output, steps, attention and search, linked in the browser.

A Gradio component and an exported page combine the same files.

Root element: `section.trace-view`, inside the block that `elem_id` names. Its data attributes describe the
view: `data-ready` counts the complete drawings, charts included; `data-step` (from 0), `data-node`
(the id of the node at that step) and `data-hypothesis` (-1 off every hypothesis) follow the selection;
`data-stale` is "true" while the form requests something else than the result, and "file" if that result
came from a file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any
from uuid import uuid4

from demo.i18n import language, translations
from demo.i18n.page_translations import in_template, keys_of
from demo.trace.payload import trace_payload
from demo.trace.trace_card import cards, cards_html
from demo.widgets.glossary.terms import terms_text
from demo.widgets.view.assets import asset
from demo.widgets.view.modules import modules_script, plotly_address
from demo.widgets.view.view import View, with_colours
from models.decoding.trace import DecodingTrace

SLOTS = ("/*PLOTLY*/", "/*PAYLOAD*/", "/*ANSWERS*/")  # the slots of `page_shell`, in this order
# Nested in the rule of the element that contains the view, so that two views and the page stay apart.
SHEETS = (
    *("view", "cards/output/output", "cards/stepper/stepper", "panes/panes"),
    *("cards/attention/picture_attention", "cards/why/why", "cards/line_by_line/line_by_line"),
)
STYLE = with_colours(
    ".trace-view",
    *(f"trace/{sheet}.css" for sheet in SHEETS),
    *("widgets/menus/menu.css", "widgets/pictures/picture_overlay.css"),
    *("widgets/answers/shown.css", "widgets/answers/program.css"),
)
VIEW, ANSWERING = "trace/view.js", "trace/export/downloads.js"
GLOSSARY = "widgets/glossary/glossary.js"


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


def template() -> str:
    """The HTML of the view with all its cards."""
    return asset("trace/view.html").replace("<!--CARDS-->", cards_html())


def page_shell() -> str:
    """The exported page with empty slots, `SLOTS`, which the browser fills when a reader downloads it.

    It is in the language of the request.
    """
    page = asset("trace/export/exported_page.html")
    scripts = modules_script([VIEW, GLOSSARY, *(card.script for card in cards() if card.script)])
    words = translations(language())
    # The browser translates the keys in scripts, and the names of the cards' charts.
    keys = chain(keys_of(scripts), *(card.downloads.values() for card in cards()))
    phrases = {key: words[key] for key in keys if key in words}
    parts = {
        "LANGUAGE": language(),
        "STYLE": STYLE,
        "TEMPLATE": in_template(template(), words),
        "WORDS": json.dumps(phrases, ensure_ascii=False).replace("<", "\\u003c"),
        "MODULES": scripts,
        "VIEW": VIEW,
        "ANSWERING": ANSWERING,
        "GLOSSARY_STYLE": asset("widgets/glossary/glossary.css"),
        "GLOSSARY": GLOSSARY,
        "TERMS": terms_text(),
    }
    for name, text in parts.items():
        page = page.replace(f"/*{name}*/", text)
    return page


def exported_page(trace: DecodingTrace, plotly: str) -> str:
    """The exported page of a trace, without answers to later questions; `plotly`: the script, or nothing."""
    before, payload, answers, after = re.split("|".join(map(re.escape, SLOTS)), page_shell())
    return "".join((before, plotly, payload, trace_payload(trace), answers, "{}", after))


def shell(_: object = None) -> str:
    """The exported page without Plotly and the trace, which the browser has; the argument is not used."""
    return page_shell()
