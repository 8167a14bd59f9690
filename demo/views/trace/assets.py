"""The files that make a trace view, put together: once as parts of a Gradio component, once as a page."""

from __future__ import annotations

import json
from collections.abc import Iterator

from demo.i18n import language, translations
from demo.i18n.config import in_template
from demo.i18n.words import keys_of
from demo.views.glossary.assets import terms_text
from demo.views.shared.assets import asset
from demo.views.shared.modules import joined
from demo.views.shared.view import coloured
from demo.views.trace.trace_card import cards, cards_html

SLOTS = ("/*PLOTLY*/", "/*PAYLOAD*/", "/*TOLD*/")  # of `page_shell`, in this order
# Nested in the rule of whichever element holds the view, so that two views and the page stay apart.
SHEETS = (
    *("view", "band", "panes/panes"),
    *("cards/attention/picture_attention", "cards/why/why", "cards/inspect/inspect"),
)
STYLE = coloured(
    ".trace-view",
    *(f"trace/{sheet}.css" for sheet in SHEETS),
    "shared/menu.css",
    "shared/pictures/picture_look.css",
    "shared/answers/shown.css",
    "shared/answers/program.css",
)
VIEW, ANSWERING, GLOSSARY = "trace/view.js", "trace/reading/told.js", "glossary/glossary.js"


def template() -> str:
    """The HTML of the view, with a card for each there is."""
    return asset("trace/view.html").replace("<!--CARDS-->", cards_html())


def page_shell() -> str:
    """The page with empty slots, `SLOTS`: the browser fills them by itself when a reader downloads it.

    It keeps the language of whoever asks for it.
    """
    page = asset("trace/exported_page.html")
    scripts = joined([VIEW, GLOSSARY, *(card.script for card in cards() if card.script)])
    words = translations(language())
    spoken = {key: words[key] for key in _keys(scripts) if key in words}
    parts = {
        "LANGUAGE": language(),
        "STYLE": STYLE,
        "TEMPLATE": in_template(template(), words),
        "WORDS": json.dumps(spoken, ensure_ascii=False).replace("<", "\\u003c"),
        "MODULES": scripts,
        "VIEW": VIEW,
        "ANSWERING": ANSWERING,
        "GLOSSARY_STYLE": asset("glossary/glossary.css"),
        "GLOSSARY": GLOSSARY,
        "TERMS": terms_text(),
    }
    for name, text in parts.items():
        page = page.replace(f"/*{name}*/", text)
    return page


def _keys(scripts: str) -> Iterator[str]:
    """What the browser translates: the keys in scripts, and the names of charts that cards hand them."""
    yield from keys_of(scripts)
    for card in cards():
        yield from card.downloads.values()
