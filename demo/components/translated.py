"""Scripts of components together with the function that translates their words."""

from __future__ import annotations

from pathlib import Path

ASSETS = Path(__file__).parent / "assets"


def with_words(name: str) -> str:
    """A script of `assets/` after `t` of `translate.js`."""
    return "\n".join((ASSETS / each).read_text(encoding="utf-8") for each in ("translate.js", name))
