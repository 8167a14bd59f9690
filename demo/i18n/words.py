"""The table that goes with the page, by `gr.I18n`: of the visitor's language alone, and none for English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import gradio as gr

from demo.i18n import ENGLISH, language, translations
from models.decoding.strategies import described, names

TAGS = {"zh": "zh-CN"}  # what HTML and Gradio call a language, where that is not our code
DEMO = Path(__file__).parents[1]
LATE = "late"  # folders of scripts that bring their words along
TEXT = r'"(?:[^"\\\n]|\\.)*"'
CALL = re.compile(rf"(?<![\w.])(?:unrolled\.)?t\(\s*({TEXT}(?:\s*\+\s*{TEXT})*)")  # of `t` in a script
MARKED = re.compile(rf"(?<!\w)in_page\(\s*((?:{TEXT}\s*)+)")
JOINED = re.compile(r'(?<!\\)"\s*\+\s*"')  # two lines of one text


@cache
def page_words() -> frozenset[str]:
    """The keys that scripts use, and what a strategy calls a setting once it is chosen."""
    captions = (caption for name in names() for caption in described(name).captions.values())
    return frozenset((*_keys_in_scripts(), *(text for each in captions for text in (each.label, each.help))))


def _keys_in_scripts() -> Iterator[str]:
    for path in [*DEMO.rglob("*.js"), *DEMO.rglob("*.py")]:
        if LATE not in path.parts:
            yield from keys_of(path.read_text(encoding="utf-8"))


@cache
def late_keys(view: str = "") -> tuple[str, ...]:
    """The keys of the scripts that the page fetches late, of all views or of one."""
    paths = (path for path in (DEMO / "views" / view).rglob("*.js") if LATE in path.parts)
    return tuple(sorted({key for path in paths for key in keys_of(path.read_text(encoding="utf-8"))}))


def late_words(view: str) -> dict[str, str]:
    """What the late scripts of a view say, in the language of the request; nothing for English."""
    known = translations(language())
    return {key: known[key] for key in late_keys(view) if key in known}


def keys_of(text: str) -> Iterator[str]:
    """The keys that a script, or what is written for one, uses."""
    for pattern in (CALL, MARKED):
        for found in pattern.findall(text):
            yield ast.literal_eval(f"({JOINED.sub('', found)})")


class PageI18n(gr.I18n):
    """Gradio's table, cut down to the language of the request and to what a page can use."""

    def __init__(self) -> None:
        super().__init__()
        self.labels: frozenset[str] = frozenset()  # that Gradio translates; `Page` knows them

    @property
    def translations_dict(self) -> dict[str, dict[str, str]]:
        """The table, or none.

        It goes by the name of English, where Gradio looks last: it does not know every language.
        """
        words = translations(language())
        table = {key: words[key] for key in sorted(page_words() | self.labels) if key in words}
        return {ENGLISH: table} if table else {}
