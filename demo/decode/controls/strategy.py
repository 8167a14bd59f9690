"""The strategy controls: one widget for each setting of a decoding; only those that apply are shown."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.widgets.form.applicable_parts import FORM_SELECTOR, classes_of, in_form_order, only
from demo.widgets.form.widgets import Choices, segments, slider
from demo.work.operator.caps import allowed_settings
from models.decoding.description import DecodingSetting, FormPart
from models.decoding.strategies import description_of, names, users

# The browser runs these scripts, which change only labels and maxima of widgets. `t` is that of translate.js,
# if the page has it.
# A choice about the form, which is no setting of a decoding.
TICK = '<label class="form-tick {}"><input type="checkbox"> <span>{}</span></label>'
MORE = TICK.format("more-strategies", "More strategies")
LIVE = TICK.format("live", "Decode while I type")
WORDS = 'const t = globalThis.unrolled?.t ?? ((text, values = {}) => text.replace("{count}", values.count));'
RENAME = """(strategy) => {
  WORDS
  const [label, info] = CAPTIONS[strategy] ?? USUAL;
  return {__type__: "update", label: t(label), info: t(info)};
}""".replace("WORDS", WORDS)
REACH = """(most, value) =>
  ({__type__: "update", maximum: Math.max(most, LOWEST), value: Math.min(value, Math.max(most, LOWEST))})"""
COUNT_CONSTRAINTS = """(...values) => {
  WORDS
  const off = DEFAULTS;
  const count = values.filter((value, at) => String(value ?? "").trim() !== String(off[at])).length;
  const label = count ? t("Constraints: {count} active", { count }) : t("Constraints: none");
  return {__type__: "update", label};
}""".replace("WORDS", WORDS)


@dataclass(frozen=True)
class StrategyCard:
    """The card with the controls and their descriptions."""

    controls: Mapping[str, Any]  # a widget for each setting, in the order in which a request takes them
    resample: gr.Button


def build_strategy_card(max_length: int) -> StrategyCard:
    """Build the card; the style sheet shows only what applies, see `demo.widgets.form.applicable_parts`."""
    result: dict[str, Any] = {}
    with gr.Column(elem_classes=f"card {FORM_SELECTOR[1:]}", elem_id="strategy-card", scale=2, min_width=320):
        result |= {name: _strategies(allowed_settings()[name]) for name in _of(FormPart.STRATEGY)}
        gr.HTML(MORE + descriptions(), elem_id="strategy-description", apply_default_css=False)
        with gr.Column(elem_classes="settings"):
            result |= _widgets(FormPart.SIZE, max_length=max_length) | _widgets(FormPart.MANNER)
        with gr.Row(elem_classes=["seed-row", *only(users("seed"))]):
            result |= {name: _seed(allowed_settings()[name]) for name in _of(FormPart.SEED)}
            resample = gr.Button("Resample", elem_id="resample", min_width=0)
        result |= _constraints()
        gr.HTML(LIVE, elem_id="live", apply_default_css=False)
    controls = {name: result[name] for name in allowed_settings()}
    _wire(controls)
    return StrategyCard(controls, resample)


def descriptions() -> str:
    """One sentence for each strategy as HTML; the style sheet shows that of the current one."""
    sentences = (
        f'<p class="{" ".join(only((name,)))}">{html.escape(description_of(name).sentence)}</p>'
        for name in in_form_order()
    )
    return "".join(sentences)


def _of(part: FormPart) -> tuple[str, ...]:
    return tuple(name for name, item in allowed_settings().items() if item.part is part)


def _strategies(item: DecodingSetting) -> gr.Radio:
    choices: Choices = [(description_of(name).label, name) for name in in_form_order()]
    return segments(item.label, item.help, choices, item.default, classes=["strategies"], elem_id=item.name)


def _widgets(part: FormPart, **values: Any) -> dict[str, Any]:
    """The controls of a part; `values` replace the default ones."""
    items = [allowed_settings()[name] for name in _of(part)]
    return {item.name: _widget(item, values.get(item.name, item.default)) for item in items}


def _widget(item: DecodingSetting, value: Any) -> Component:
    if item.choices:
        choices: Choices = [(choice.label, choice.value) for choice in item.choices]
        # A choice that hides other settings has an element id for the style sheet.
        hides_others = any(other.idle and other.idle[0] == item.name for other in allowed_settings().values())
        elem_id = item.name if hides_others else None
        return segments(item.label, item.help, choices, value, classes_of(item.name), elem_id)
    if item.low is None or item.high is None:
        return _text(item)
    high = allowed_settings()[item.within].default if item.within else item.high
    return slider(item.label, item.help, (item.low, high, item.step), value, classes_of(item.name))


def _text(item: DecodingSetting) -> gr.Textbox:
    return gr.Textbox(
        value=item.default,
        label=item.label,
        info=item.help,
        max_length=item.characters,
        lines=1,
        max_lines=1,
        elem_classes=classes_of(item.name),
        html_attributes=gr.InputHTMLAttributes(spellcheck=False, autocorrect="off", autocapitalize="off"),
    )


def _seed(item: DecodingSetting) -> gr.Number:
    return gr.Number(
        value=item.default,
        minimum=item.low,
        maximum=item.high,
        precision=0,
        label=item.label,
        info=item.help,
        min_width=120,
    )


def _constraints() -> dict[str, Any]:
    with (
        gr.Accordion("Constraints: none", open=False, elem_id="constraints") as accordion,
        gr.Column(elem_classes="settings"),
    ):
        result = _widgets(FormPart.CONSTRAINT)
    count = COUNT_CONSTRAINTS.replace(
        "DEFAULTS", json.dumps([allowed_settings()[name].default for name in result])
    )
    widgets = list(result.values())
    gr.on([widget.change for widget in widgets], None, widgets, accordion, js=count)
    return result


def _wire(controls: Mapping[str, Any]) -> None:
    """Connect the changes that the browser makes by itself: captions by strategy, and dependent maxima."""
    for name, item in allowed_settings().items():
        captions = {
            strategy: [caption.label, caption.help]
            for strategy in names()
            if (caption := description_of(strategy).captions.get(name))
        }
        if captions:
            renamed = RENAME.replace("CAPTIONS", json.dumps(captions))
            renamed = renamed.replace("USUAL", json.dumps([item.label, item.help]))
            controls["strategy"].change(None, controls["strategy"], controls[name], js=renamed)
        if item.within:
            pair = [controls[item.within], controls[name]]
            reach = REACH.replace("LOWEST", json.dumps((item.low or 0) + 1))
            pair[0].change(None, pair, pair[1], js=reach)
