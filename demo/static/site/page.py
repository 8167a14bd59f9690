"""The page's description for the browser: the widgets of the server's page, as the shell draws them.

The widgets are Gradio's, built by the server's page, so that both editions have the same form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr

from demo.compare.form import Form
from demo.compare.tab import build_compare_tab
from demo.decode.filling import DecodeTab
from demo.decode.tab import build_decode_tab
from demo.i18n import language, say, translations
from demo.i18n.page_translations import localize, page_words, shell_keys
from demo.learn.views import CourseMap, LabsView, LessonDock
from demo.links import page_config
from demo.links.notice.component import LinkNotice
from demo.page.interface import HEADER
from demo.static.site.decoder import absent_settings
from demo.trace.trace_card import cards
from demo.widgets.view.assets import plotly_file
from demo.widgets.view.view import View
from demo.work.context import AppContext
from demo.work.operator.caps import allowed_settings
from models.decoding.description import FormPart
from models.decoding.strategies import description_of, names

TITLE = "Unrolled"
MARK = "__i18n__"  # the start of a label that Gradio translates in the browser
# The properties of a widget that the shell draws; a view has those of its script besides.
DRAWN_PROPERTIES = (
    *("elem_id", "elem_classes", "label", "info", "show_label", "value", "choices", "placeholder", "variant"),
    *("minimum", "maximum", "step", "max_length", "lines", "open", "visible", "scale", "min_width", "id"),
)
# What the folder cannot do: checkpoints with 8-bit weights, and a comparison of two decodings side by side.
ABSENT_CHOICE = re.compile(r".*@int8|checkpoints|inputs")
# Cards that ask the server for each answer; the shell removes them.
ABSENT_CARDS = {"why", *(card.name for card in cards() if card.pane == "inspect")}
LAZY_SCRIPT, LAZY_STYLE = "scripts/lazy.js", "lesson.css"  # the dock fetches them with the first lesson
# Files of the folder, by the properties that name them.
ASSET_ADDRESSES = {"plotly_source": plotly_file().name, "lazy": LAZY_SCRIPT, "lazy_style": LAZY_STYLE}


@dataclass(frozen=True)
class StaticPage:
    """Gradio's page with the tabs of the folder."""

    blocks: gr.Blocks
    decode: DecodeTab
    compare: Form

    def tree(self) -> dict[str, Any]:
        """The widgets in the language of the request, each with those inside it."""
        config = localize({**self.blocks.config, "css": ""}, {}, self.blocks.blocks)
        absent = {self.decode.strategy.controls[name]._id for name in absent_settings()}
        components = {
            component["id"]: component
            for component in config["components"]
            if component["type"] != "browserstate" and component["id"] not in absent
        }
        return _node(config["layout"], components, self.blocks.blocks, translations(language()))

    def controls(self) -> dict[str, int]:
        """The ids of the form's widgets, by the names of a link's parameters."""
        tab = self.decode
        widgets = {"checkpoint": tab.checkpoint, "text": tab.source.text, **tab.strategy.controls}
        return {name: widget._id for name, widget in widgets.items() if name not in absent_settings()}

    def scripts(self) -> set[str]:
        """The modules of the views and of the cards of a decoding, by their paths below `demo`."""
        views = {block.module_path for block in self.blocks.blocks.values() if isinstance(block, View)}
        return views | {card.script for card in cards() if card.script and card.name not in ABSENT_CARDS}

    def styles(self) -> Iterator[tuple[int, str]]:
        """The id and the style sheet of each view."""
        for component in self.blocks.config["components"]:
            if css := component["props"].get("css_template"):
                yield component["id"], css


def build_page(context: AppContext) -> StaticPage:
    """Build the widgets. The first checkpoint of the context is that of an empty form."""
    with gr.Blocks(title=TITLE, analytics_enabled=False) as blocks:
        gr.HTML(html_template=HEADER, js_on_load=None, apply_default_css=False)
        LinkNotice(elem_id="link-notice")
        visitor = gr.BrowserState(None)  # the shell draws nothing for it
        with gr.Tabs(elem_id="tabs"):
            decode = build_decode_tab(context, visitor)
            compare = build_compare_tab(context, visitor)
            with gr.Tab("Learn", id="learn", elem_id="learn-tab"):
                CourseMap(elem_id="course", server_functions=[])
                LabsView(elem_id="labs", server_functions=[])
        LessonDock(elem_id="lesson", server_functions=[])
    return StaticPage(blocks, decode, compare)


def description(page: StaticPage) -> dict[str, Any]:
    """All that the shell needs in the language of the request, without the checkpoints."""
    words = translations(language())
    items = {name: item for name, item in allowed_settings().items() if name not in absent_settings()}
    return {
        "words": {key: words[key] for key in sorted({*page_words(), *shell_keys()}) if key in words},
        "config": page_config(),
        "tree": page.tree(),
        "controls": page.controls(),
        "compared": {name: widget._id for name, widget in page.compare.linkable().items()},
        "captions": _captions(),
        "limits": {name: item.within for name, item in items.items() if item.within in items},
        "constraints": [name for name, item in items.items() if item.part is FormPart.CONSTRAINT],
        "absent": [card.everywhere for card in cards() if card.name in ABSENT_CARDS],
    }


def _captions() -> dict[str, dict[str, list[str]]]:
    """The label and the hint that a strategy gives a setting, by strategy and setting."""
    return {
        strategy: {
            name: [say(caption.label), say(caption.help)]
            for name, caption in description_of(strategy).captions.items()
            if name not in absent_settings()
        }
        for strategy in names()
    }


def _node(
    node: Mapping[str, Any],
    components: Mapping[int, Mapping[str, Any]],
    blocks: Mapping[int, Any],
    words: Mapping[str, str],
) -> dict[str, Any]:
    component = components.get(node["id"], {"type": "page", "props": {}})
    props = component["props"]
    drawn: dict[str, Any] = {"type": component["type"], "id": node["id"]}
    for name in DRAWN_PROPERTIES:
        value = props.get(name)
        if value is not True and value not in (None, "", []):  # 1 equals True
            drawn["key" if name == "id" else name] = _plain(value, words)
    if "choices" in drawn:
        drawn["choices"] = [choice for choice in drawn["choices"] if not ABSENT_CHOICE.fullmatch(choice[1])]
    if component["type"] == "html":
        block = blocks[node["id"]]
        drawn["html"] = props["html_template"]
        if isinstance(block, View):
            drawn |= {"view": block.module_path, "props": _view_props(props)}
    inside = [child for child in node.get("children") or () if child["id"] in components]
    children = [_node(child, components, blocks, words) for child in inside]
    return {**drawn, "children": children} if children else drawn


def _view_props(props: Mapping[str, Any]) -> dict[str, Any]:
    """The properties of a view's script, with the addresses of the folder."""
    inner = {name: value for name, value in (props.get("props") or {}).items() if name != "modules"}
    if "forms" in inner:  # a strategy picker has them
        inner["forms"] = [
            {**form, "fields": [field for field in form["fields"] if field["name"] not in absent_settings()]}
            for form in inner["forms"]
        ]
    return {name: ASSET_ADDRESSES.get(name, value) for name, value in inner.items()}


def _plain(value: Any, words: Mapping[str, str]) -> Any:
    """A value as the page shows it: a label that Gradio would translate in the browser is translated here."""
    if not isinstance(value, str) or not value.startswith(MARK):
        return value
    key = json.loads(value.removeprefix(MARK))["key"]
    return words.get(key, key)
