"""The translations that `gr.I18n` sends with the page: only the visitor's language, none for English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import gradio as gr

from demo.i18n import ENGLISH, language, translations
from models.decoding.strategies import description_of, names

TAGS = {"zh": "zh-CN"}  # the tag of a language in HTML and Gradio, if it differs from our code
DEMO = Path(__file__).parents[1]
SHELL = DEMO / "static" / "shell"  # scripts of the page without a server
LAZY_FOLDER = "lazy"  # folders of scripts that are fetched on demand, with their translations
STRING_LITERAL = r'"(?:[^"\\\n]|\\.)*"'
# `t("…")` in a script.
TRANSLATE_CALL = re.compile(
    rf"(?<![\w.])(?:unrolled\.)?t\(\s*({STRING_LITERAL}(?:\s*\+\s*{STRING_LITERAL})*)"
)
IN_PAGE_CALL = re.compile(rf"(?<!\w)in_page\(\s*((?:{STRING_LITERAL}\s*)+)")
JOINED_LITERALS = re.compile(r'(?<!\\)"\s*\+\s*"')  # a text written on two lines


@cache
def page_words() -> frozenset[str]:
    """The keys in the scripts, and the labels and hints that a strategy gives its settings."""
    captions = (caption for name in names() for caption in description_of(name).captions.values())
    return frozenset(
        (*_keys_in_scripts(), *(text for caption in captions for text in (caption.label, caption.help)))
    )


def _keys_in_scripts() -> Iterator[str]:
    for path in [*DEMO.rglob("*.js"), *DEMO.rglob("*.py")]:
        if LAZY_FOLDER not in path.parts and SHELL not in path.parents:
            yield from keys_of(path.read_text(encoding="utf-8"))


def shell_keys() -> Iterator[str]:
    """The keys in the scripts that only the page without a server has."""
    for path in SHELL.glob("*.js"):
        yield from keys_of(path.read_text(encoding="utf-8"))


@cache
def lazy_keys(view: str = "") -> tuple[str, ...]:
    """The keys in the scripts that the page fetches on demand, of all views or of one."""
    paths = (path for path in (DEMO / view).rglob("*.js") if LAZY_FOLDER in path.parts)
    return tuple(sorted({key for path in paths for key in keys_of(path.read_text(encoding="utf-8"))}))


def lazy_words(view: str) -> dict[str, str]:
    """The translations for the lazy scripts of a view, in the language of the request; empty for English."""
    translated = translations(language())
    return {key: translated[key] for key in lazy_keys(view) if key in translated}


def keys_of(text: str) -> Iterator[str]:
    """The keys in a script, or in Python code that marks texts for one."""
    for pattern in (TRANSLATE_CALL, IN_PAGE_CALL):
        for match in pattern.findall(text):
            yield ast.literal_eval(f"({JOINED_LITERALS.sub('', match)})")


class PageI18n(gr.I18n):
    """Gradio's table, reduced to the language of the request and to the texts that the page can use."""

    def __init__(self) -> None:
        super().__init__()
        self.labels: frozenset[str] = frozenset()  # the texts that Gradio translates; `Page` sets them

    @property
    def translations_dict(self) -> dict[str, dict[str, str]]:
        """The table, or an empty one.

        It is registered as English, Gradio's fallback, because Gradio does not support every language.
        """
        words = translations(language())
        table = {key: words[key] for key in sorted(page_words() | self.labels) if key in words}
        return {ENGLISH: table} if table else {}
