"""Where a browser finds the glossary: a file for each language, fetched once the page stands."""

from __future__ import annotations

import json

from demo.glossary import told
from demo.i18n import LANGUAGES, spoken
from demo.server.assets import address, register_text

FILE = "terms.json"


def glossary_addresses() -> dict[str, str]:
    """By the code of a language, relative to the page."""
    found = {}
    for code in LANGUAGES:
        with spoken(code):
            register_text(f"glossary-{code}", FILE, terms_text())
        found[code] = address(f"glossary-{code}", FILE)
    return found


def terms_text() -> str:
    """All terms in the language of the request, as JSON that may stand in a script: `Term[]` of terms.js."""
    return json.dumps(told(), ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
