"""Gradio's description of the page, in the language of the request.

Labels, hints and buttons are marked for Gradio's own i18n; what that does not reach, choices, templates and
style sheets, is translated here.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

import gradio as gr

from demo.i18n import ENGLISH, LANGUAGES, language, say, tell, translations
from models.errors import Message

IN_PAGE = gr.I18n()  # marks a text that the browser translates
LABELS = ("label", "info", "placeholder")
BUTTONS = {"button", "uploadbutton", "downloadbutton"}  # their value is what stands on them
NODE = re.compile(r"(?<=>)[^<>{}$]*[A-Za-z][^<>{}$]*(?=<)")
ATTRIBUTE = re.compile(r'(?<= )(aria-label|title|placeholder)="([^"]+)"')
CONTENT = re.compile(r'(?<=content: )"([^"\\]*[A-Za-z][^"\\]*)"')
TEMPLATES = ("html_template", "css_template")


def labels_of(config: Mapping[str, Any]) -> frozenset[str]:
    """What Gradio itself translates of a page."""
    return frozenset(
        part
        for each in config["components"]
        for _, text in _labels(each["type"], each["props"])
        for part in (text.templates() if isinstance(text, Message) else (text,))
    )


def localized(
    config: dict[str, Any], table: Mapping[str, dict[str, str]], blocks: Mapping[int, object]
) -> dict[str, Any]:
    """A copy of `config` in the language of the request.

    `table` is Gradio's, of this language. A block with `spoken_props` says some of its properties anew.
    """
    code = language()
    if code == ENGLISH:
        return config
    words = translations(code)
    components = [
        {**each, "props": _with_own(_props(each, words), blocks[each["id"]])} for each in config["components"]
    ]
    own = {"components": components, "i18n_translations": table, "css": _styled(config["css"], words)}
    return {**config, **own}


def _props(component: Mapping[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
    kind, props = component["type"], dict(component["props"])
    for name, text in _labels(kind, props):
        if isinstance(text, Message):
            props[name] = _spoken(text)
        elif text in words:
            props[name] = str(IN_PAGE(text))
    if isinstance(choices := props.get("choices"), list):
        props["choices"] = [(_spoken(shown), value) for shown, value in choices]
    for name in TEMPLATES:
        if isinstance(template := props.get(name), str):
            props[name] = in_template(template, words) if name[0] == "h" else _styled(template, words)
    if kind == "html" and isinstance(props.get("value"), str):
        props["value"] = in_template(props["value"], words)
    elif kind == "markdown":
        props["value"] = words.get(props.get("value", ""), props.get("value"))
    return props


def _with_own(props: dict[str, Any], block: object) -> dict[str, Any]:
    """What a block says anew, in its own properties too, where `gr.HTML` keeps those of a template."""
    spoken_props = getattr(block, "spoken_props", None)
    told = dict(spoken_props()) if spoken_props else {}
    inner = props.get("props") or {}
    if told.keys() & inner.keys():
        props["props"] = inner | {name: told.pop(name) for name in list(told) if name in inner}
    return props | told


def _labels(kind: str, props: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in (*LABELS, "value") if kind in BUTTONS else LABELS:
        if isinstance(props.get(name), str):
            yield name, props[name]


def _spoken(text: str) -> str:
    return tell(text) if isinstance(text, Message) else say(text)


def in_template(template: str, words: Mapping[str, str]) -> str:
    """An HTML template with its texts and labels translated."""

    def of_node(found: re.Match[str]) -> str:
        text = found[0]
        key = html.unescape(" ".join(text.split()))
        before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
        # Each language is called by its own name.
        if key not in words or key in (catalogue.label for catalogue in LANGUAGES.values()):
            return text
        return before + html.escape(words[key], quote=False) + after

    def of_attribute(found: re.Match[str]) -> str:
        told = words.get(html.unescape(found[2]), html.unescape(found[2]))
        return f'{found[1]}="{html.escape(told)}"'

    return ATTRIBUTE.sub(of_attribute, NODE.sub(of_node, template))


def _styled(css: str, words: Mapping[str, str]) -> str:
    return CONTENT.sub(lambda found: f'"{words.get(found[1], found[1])}"', css or "")
