"""The glossary for the browser: a file for each language, which is fetched after the page."""

from __future__ import annotations

import json

from demo.i18n import LANGUAGES, in_language
from demo.server.assets import address, register_text
from demo.widgets.glossary.terms import entries

FILE = "terms.json"


def glossary_addresses() -> dict[str, str]:
    """The addresses of the glossary by the code of the language, relative to the page."""
    addresses = {}
    for code in LANGUAGES:
        with in_language(code):
            register_text(f"glossary-{code}", FILE, terms_text())
        addresses[code] = address(f"glossary-{code}", FILE)
    return addresses


def terms_text() -> str:
    """All terms in the language of the request as JSON; see `Term` of terms.js."""
    return json.dumps(entries(), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
