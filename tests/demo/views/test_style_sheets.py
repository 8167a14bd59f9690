"""Style sheets have no rules for classes that nothing sets."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from demo.views.trace.trace_card import cards_html

ROOT = Path(__file__).parents[3] / "demo"
# The page's own classes begin with two letters, tv- or cp-; the others are Gradio's and Plotly's.
OWN_CLASS = re.compile(r"\.([a-z]{2}-[\w-]+)")
NAME = re.compile(r"(?<![\w-])[a-z]{2}-(?:[\w-]|\$?\{[^{}]*\})+")
EXPRESSION = re.compile(r"\\?\$?\\\{.*?\\\}")  # an expression in a composed name, after `re.escape`


@cache
def set_somewhere() -> re.Pattern[str]:
    """Every class in the markup or a script, complete or composed: `dp-${side}`."""
    sources = [path for suffix in ("py", "js", "html") for path in ROOT.rglob(f"*.{suffix}")]
    texts = [path.read_text(encoding="utf-8") for path in sources if path.name != "trace_card.py"] + [
        cards_html()
    ]
    names = {name for text in texts for name in NAME.findall(text)}
    return re.compile("|".join(EXPRESSION.sub(r"[\\w-]+", re.escape(name)) for name in sorted(names)))


@pytest.mark.parametrize("sheet", sorted(ROOT.rglob("*.css")), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_class_of_a_style_sheet_is_set_somewhere(sheet: Path) -> None:
    rules = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.DOTALL)
    allowed = set_somewhere()
    assert [name for name in sorted(set(OWN_CLASS.findall(rules))) if not allowed.fullmatch(name)] == []


@pytest.mark.parametrize("sheet", sorted(ROOT.rglob("*.css")), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_size_of_text_follows_the_browser(sheet: Path) -> None:
    """Fonts use `rem`, which follows the size that is set in the browser; pixels do not."""
    assert re.findall(r"font-size: [\d.]+px", sheet.read_text(encoding="utf-8")) == []


def test_an_unused_class_of_a_style_sheet_is_found() -> None:
    assert set_somewhere().fullmatch("tv-cloud-card")
    assert not set_somewhere().fullmatch("tv-sampled")
