"""The page in the language of the request: the translations sent with it, and Gradio's configuration.

`gr.I18n` sends only the visitor's language, none for English. Labels, hints and buttons are marked for it.
Choices, templates and style sheets, which it does not reach, are translated here.
"""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import gradio as gr

from demo.i18n import ENGLISH, LANGUAGES, language, message_text, say, translations
from models.decoding.strategies import description_of, names
from models.errors import Message

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
IN_PAGE = gr.I18n()  # marks a text that the browser translates
LABEL_PROPERTIES = ("label", "info", "placeholder")
BUTTONS = {"button", "uploadbutton", "downloadbutton"}  # their value is their label
NODE = re.compile(r"(?<=>)[^<>{}$]*[A-Za-z][^<>{}$]*(?=<)")
ATTRIBUTE = re.compile(r'(?<= )(aria-label|title|placeholder)="([^"]+)"')
CONTENT = re.compile(r'(?<=content: )"([^"\\]*[A-Za-z][^"\\]*)"')
TEMPLATES = ("html_template", "css_template")


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


def labels(config: Mapping[str, Any]) -> frozenset[str]:
    """The texts of a page that Gradio itself translates."""
    return frozenset(
        part
        for component in config["components"]
        for _, text in _labels(component["type"], component["props"])
        for part in (text.templates() if isinstance(text, Message) else (text,))
    )


def localize(
    config: dict[str, Any], table: Mapping[str, dict[str, str]], blocks: Mapping[int, object]
) -> dict[str, Any]:
    """Copy `config` in the language of the request.

    `table` is Gradio's table of this language. Blocks with `translated_props` translate some of their own.
    """
    code = language()
    if code == ENGLISH:
        return config
    words = translations(code)
    components = [
        {**component, "props": _with_translated_props(_props(component, words), blocks[component["id"]])}
        for component in config["components"]
    ]
    css = _translate_style(config["css"], words)
    return {**config, "components": components, "i18n_translations": table, "css": css}


def _props(component: Mapping[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
    kind, props = component["type"], dict(component["props"])
    for name, text in _labels(kind, props):
        if isinstance(text, Message):
            props[name] = _translate(text)
        elif text in words:
            props[name] = str(IN_PAGE(text))
    if isinstance(choices := props.get("choices"), list):
        props["choices"] = [(_translate(label), value) for label, value in choices]
    for name in TEMPLATES:
        if isinstance(template := props.get(name), str):
            props[name] = (
                in_template(template, words) if name[0] == "h" else _translate_style(template, words)
            )
    if kind == "html" and isinstance(props.get("value"), str):
        props["value"] = in_template(props["value"], words)
    elif kind == "markdown":
        props["value"] = words.get(props.get("value", ""), props.get("value"))
    return props


def _with_translated_props(props: dict[str, Any], block: object) -> dict[str, Any]:
    """Add the translated properties of a block, also to `props`, the template values of `gr.HTML`."""
    translated_props = getattr(block, "translated_props", None)
    translated = dict(translated_props()) if translated_props else {}
    inner = props.get("props") or {}
    if translated.keys() & inner.keys():
        props["props"] = inner | {name: translated.pop(name) for name in list(translated) if name in inner}
    return props | translated


def _labels(kind: str, props: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in (*LABEL_PROPERTIES, "value") if kind in BUTTONS else LABEL_PROPERTIES:
        if isinstance(props.get(name), str):
            yield name, props[name]


def _translate(text: str) -> str:
    return message_text(text) if isinstance(text, Message) else say(text)


def in_template(template: str, words: Mapping[str, str]) -> str:
    """An HTML template with its texts and labels translated."""

    def of_node(match: re.Match[str]) -> str:
        text = match[0]
        key = html.unescape(" ".join(text.split()))
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        # The names of languages are not translated.
        if key not in words or key in (catalogue.label for catalogue in LANGUAGES.values()):
            return text
        return before + html.escape(words[key], quote=False) + after

    def of_attribute(match: re.Match[str]) -> str:
        translated = words.get(html.unescape(match[2]), html.unescape(match[2]))
        return f'{match[1]}="{html.escape(translated)}"'

    return ATTRIBUTE.sub(of_attribute, NODE.sub(of_node, template))


def _translate_style(css: str, words: Mapping[str, str]) -> str:
    return CONTENT.sub(lambda match: f'"{words.get(match[1], match[1])}"', css or "")
