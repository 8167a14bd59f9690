"""The files that make a trace view, put together: once as parts of a Gradio component, once as a page."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from demo.figures.palette import DARK, LIGHT, css_variables
from demo.i18n import language, translations
from demo.i18n.config import in_template
from demo.i18n.words import keys_of

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = (
    *(
        "translate",
        "dom",
        "picture_source",
        "trace",
        "words",
        "threshold",
        "selection",
        "output",
        "stepper",
        "next_tokens",
        "source",
        "candidates",
    ),
    *("picture_look", "picture_attention", "picture_cells"),
    *("picture_figure", "picture_download"),
    *("charts", "heatmap", "tree", "samples", "ranking", "downloads"),
    *("edit", "attention_edit", "versions", "link_state", "view"),
)
SLOTS = ("/*PLOTLY*/", "/*PAYLOAD*/")  # of `page_shell`, in this order


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


TEMPLATE = _asset("view.html")
# Nested in the rule of whichever element holds the view, so that two views and the page stay apart.
STYLE = "\n".join(
    (
        f".trace-view {{{css_variables(LIGHT)}}}",
        f".dark & .trace-view {{{css_variables(DARK)}}}",
        _asset("view.css"),
        _asset("picture_look.css"),
        _asset("picture_attention.css"),
    )
)
# One function around all files: their names stay off the page, and two views share nothing.
VIEW_SOURCE = "function traceView(element, props, watch, trigger, server) {{\n{}\n}}".format(
    "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
)


def plotly_file() -> Path:
    """plotly.js as the plotly package ships it."""
    return Path(str(files("plotly") / "package_data" / "plotly.min.js")).resolve()


def page_shell() -> str:
    """The page with two empty slots, `SLOTS`: the browser fills them by itself when a reader downloads it.

    It keeps the language of whoever asks for it.
    """
    page = _asset("page.html")
    words = translations(language())
    spoken = {key: words[key] for key in keys_of(VIEW_SOURCE) if key in words}
    parts = {
        "LANGUAGE": language(),
        "STYLE": STYLE,
        "TEMPLATE": in_template(TEMPLATE, words),
        "WORDS": json.dumps(spoken, ensure_ascii=False).replace("<", "\\u003c"),
        "VIEW": VIEW_SOURCE,
    }
    for name, text in parts.items():
        page = page.replace(f"/*{name}*/", text)
    return page
