"""The style sheet of the folder: Gradio's variables and fonts, the page's rules, and those of each view."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from demo.i18n import translations
from demo.i18n.page_translations import CONTENT
from demo.links.hiding import hiding_rules
from demo.page.theme import build_theme, style_sheet
from demo.static.site.page import StaticPage
from demo.widgets.view.assets import asset

FONT = re.compile(r"url\('static/(fonts/[\w/.-]+)'\)")
SHELL = Path(__file__).parents[1] / "shell" / "shell.css"


def fonts() -> dict[str, Path]:
    """The font files that the style sheet names, by their paths in the folder."""
    theme: Any = build_theme()
    root = Path(str(files("gradio"))) / "templates" / "frontend" / "static"
    return {name: root / name for name in FONT.findall(theme._get_theme_css())}


def style(page: StaticPage, language: str) -> str:
    """The style sheet in a language, since some rules contain words."""
    source: Any = build_theme()
    theme = FONT.sub(r"url('../../\1')", source._get_theme_css())
    views = (f"#view-{number} {{ {css} }}" for number, css in page.styles())
    shell, head = SHELL.read_text("utf-8"), asset("page/scripts/head.css")
    sheets = (theme, shell, style_sheet(), head, hiding_rules(), *views)
    words = translations(language)
    return CONTENT.sub(lambda match: f'"{words.get(match[1], match[1])}"', "\n".join(sheets))
