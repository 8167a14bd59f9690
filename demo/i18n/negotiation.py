"""Which language a request is answered in: that of the address, of the switch, or of the browser.

A language that is begun is only chosen by hand: nobody meets a page half in English unasked.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

from demo.i18n import ENGLISH, LANGUAGES, complete_languages

PARAMETER = "__lang"  # of an address, beside Gradio's own `__theme`
COOKIE = "unrolled-lang"


def wanted_language(query: str, headers: Mapping[str, str]) -> str:
    """One of `LANGUAGES` for a request with this query and these headers.

    The page's own address comes with its later requests as the referrer, where a frame may keep no cookie.
    """
    address = urlsplit(headers.get("referer", "")).query if PARAMETER not in query else query
    named = parse_qs(address).get(PARAMETER, [""])[-1]
    return known(named) or known(_cookie(headers.get("cookie", ""))) or _accepted(headers)


def known(tag: str) -> str:
    """The language of a BCP 47 tag such as es-MX or zh-Hans-CN; empty if the page does not speak it."""
    code = tag.strip().lower().replace("_", "-").split("-")[0]
    return code if code in LANGUAGES else ""


def _cookie(header: str) -> str:
    """Ours alone: `http.cookies` gives up at one of another program that it does not like."""
    pairs = (part.strip().partition("=") for part in header.split(";"))
    return next((value for name, _, value in pairs if name == COOKIE), "")


def _accepted(headers: Mapping[str, str]) -> str:
    """The first complete language of `Accept-Language`, by its weights; English if there is none."""
    ranges = []
    for place, part in enumerate(headers.get("accept-language", "").split(",")[:20]):
        tag, _, weight = part.replace(" ", "").partition(";q=")
        try:
            share = float(weight or 1)
        except ValueError:
            share = 0.0
        if share > 0 and known(tag) in complete_languages():
            ranges.append((-share, place, known(tag)))
    return min(ranges)[2] if ranges else ENGLISH
