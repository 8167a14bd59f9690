"""The default text of labs: a short novel in the public domain.

Source: Lewis Carroll, Alice's Adventures in Wonderland (1865), as Project Gutenberg publishes it (Millennium
Fulcrum Edition 2.9). Titles, ornaments and notes are left out; a line is a paragraph; quotation marks are
plain.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def novel() -> str:
    """Return the whole novel, about 141,000 characters."""
    return Path(__file__).with_name("alice.txt").read_text(encoding="utf-8")
