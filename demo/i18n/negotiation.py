"""Chooses the language of an answer: that of the address, of the language switch, or of the browser.

A language that is still being translated must be chosen by hand; the browser's setting does not select it.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs, urlsplit

from demo.i18n import ENGLISH, LANGUAGES, complete_languages

PARAMETER = "__lang"  # in an address, beside Gradio's own `__theme`
COOKIE = "unrolled-lang"


def wanted_language(query: str, headers: Mapping[str, str]) -> str:
    """One of `LANGUAGES` for a request with this query and these headers.

    Later requests of a page carry its address as the referrer; a page in a frame may have no cookie.
    """
    address = urlsplit(headers.get("referer", "")).query if PARAMETER not in query else query
    in_address = parse_qs(address).get(PARAMETER, [""])[-1]
    return (
        supported_language(in_address)
        or supported_language(_cookie(headers.get("cookie", "")))
        or _accepted_language(headers)
    )


def supported_language(tag: str) -> str:
    """The language of a BCP 47 tag such as es-MX or zh-Hans-CN; empty if it is not supported."""
    code = tag.strip().lower().replace("_", "-").split("-")[0]
    return code if code in LANGUAGES else ""


def _cookie(header: str) -> str:
    """The value of our cookie. `http.cookies` would fail if another program's cookie were malformed."""
    pairs = (part.strip().partition("=") for part in header.split(";"))
    return next((value for name, _, value in pairs if name == COOKIE), "")


def _accepted_language(headers: Mapping[str, str]) -> str:
    """The first complete language of `Accept-Language`, by weight; English if there is none."""
    ranges = []
    for index, part in enumerate(headers.get("accept-language", "").split(",")[:20]):
        tag, _, weight = part.replace(" ", "").partition(";q=")
        try:
            share = float(weight or 1)
        except ValueError:
            share = 0.0
        if share > 0 and supported_language(tag) in complete_languages():
            ranges.append((-share, index, supported_language(tag)))
    return min(ranges)[2] if ranges else ENGLISH
