"""The files of the trace view, combined for a Gradio component and for an exported page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from demo.i18n import language, translations
from demo.i18n.config import in_template
from demo.i18n.page_translations import keys_of
from demo.trace.payload import trace_payload
from demo.trace.trace_card import cards, cards_html
from demo.widgets.glossary.terms import terms_text
from demo.widgets.view.assets import asset, modules_script
from demo.widgets.view.view import with_colours
from models.decoding.trace import DecodingTrace

SLOTS = ("/*PLOTLY*/", "/*PAYLOAD*/", "/*ANSWERS*/")  # the slots of `page_shell`, in this order
# Nested in the rule of the element that contains the view, so that two views and the page stay apart.
SHEETS = (
    *("view", "cards/output/output", "cards/stepper/stepper", "panes/panes"),
    *("cards/attention/picture_attention", "cards/why/why", "cards/inspect/inspect"),
)
STYLE = with_colours(
    ".trace-view",
    *(f"trace/{sheet}.css" for sheet in SHEETS),
    *("widgets/menus/menu.css", "widgets/pictures/picture_overlay.css"),
    *("widgets/answers/shown.css", "widgets/answers/program.css"),
)
VIEW, ANSWERING = "trace/view.js", "trace/export/exported_answers.js"
GLOSSARY = "widgets/glossary/glossary.js"


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
    phrases = {key: words[key] for key in _keys(scripts) if key in words}
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


def _keys(scripts: str) -> Iterator[str]:
    """The keys that the browser translates: those in scripts, and the names of the cards' charts."""
    yield from keys_of(scripts)
    for card in cards():
        yield from card.downloads.values()
