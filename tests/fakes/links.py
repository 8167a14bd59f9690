"""Links as the page writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from demo.links.parameters import LEFT_OUT, PARAMETERS


def query(tab: str, values: Mapping[str, Any], hide: Sequence[str] = ()) -> str:
    """The query of an address for the parameters of a tab; parameters at their default are left out.

    `test_browser_links.py` compares it with query.js, which writes the page's links.
    """
    pairs = [("tab", tab)]
    for name in PARAMETERS[tab]:
        value = values.get(name)
        if value is None or value == LEFT_OUT.get(name):
            continue
        pairs.append((name, _text(value)))
    if hide:
        pairs.append(("hide", ",".join(hide)))
    return "&".join(f"{name}={quote(text, safe='~,:')}" for name, text in pairs if text)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, list):
        return "~".join(_item_text(item) for item in value)
    return str(value)


def _quote(value: Any) -> str:
    return quote(_text(value), safe="").replace("~", "%7E")  # ~ separates strategies


def _item_text(item: Any) -> str:
    if isinstance(item, Mapping):
        others = [f"{name}:{_quote(value)}" for name, value in item.items() if name != "strategy"]
        return ",".join([item["strategy"], *others])
    return ",".join(map(str, item))
