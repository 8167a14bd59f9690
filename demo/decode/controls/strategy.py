"""The strategy controls: one widget for each setting of a decoding, and a chip with the settings in words.

Only those that apply to the chosen strategy are shown: by their CSS classes and the style rules below.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.i18n import in_page
from demo.server.events import RAW_QUICK
from demo.widgets.captions.options import short_name, short_name_of
from demo.widgets.chip.component import Chip
from demo.widgets.form.choices import Choices, in_languages, segments
from demo.work.operator.caps import allowed_settings
from demo.work.requests.checks import RequestError
from demo.work.requests.decode import default_options
from models.decoding.description import DecodingSetting, Family, FormPart
from models.decoding.strategies import description_of, family, names, users

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
    """Build the card; the style sheet shows only what applies, see `applicable_rules`."""
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
    named: dict[str, Any] = {"label": item.label, "info": item.help, "elem_classes": classes_of(item.name)}
    if item.low is None or item.high is None:
        plain = gr.InputHTMLAttributes(spellcheck=False, autocorrect="off", autocapitalize="off")
        return gr.Textbox(
            value, max_length=item.characters, lines=1, max_lines=1, html_attributes=plain, **named
        )
    high = allowed_settings()[item.within].default if item.within else item.high
    return gr.Slider(item.low, high, value=value, step=item.step, buttons=[], min_width=120, **named)


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


RAIL = "rail"
UNREADABLE = "?"


def strategy_chip() -> Chip:
    """The settings in a few words, such as “Beam 4, α 0”; unrendered."""

    def words() -> dict[str, str]:
        return {"value": short_name(default_options())}

    chip = Chip(**words(), called=in_page("Strategy"), rail=RAIL, elem_id="strategy-chip", render=False)
    return in_languages(chip, words)


def on_settings(*values: object) -> str:
    """The settings in words, with “?” in place of those that a decoding would refuse."""
    readable = {name: _readable(name, value) for name, value in zip(allowed_settings(), values, strict=True)}
    return short_name_of(readable["strategy"], readable)


def _readable(name: str, value: object) -> Any:
    try:
        return allowed_settings()[name].checked_value(value, RequestError)
    except RequestError:
        return UNREADABLE


def wire_strategy_chip(chip: Chip, widgets: list[Any]) -> None:
    """Update the words with every change of the settings."""
    changes = [widget.change for widget in widgets]
    gr.on(changes, on_settings, widgets, chip, trigger_mode="always_last", **RAW_QUICK)


FORM_SELECTOR = ".strategy"  # contains all parts


def only(strategies: tuple[str, ...]) -> list[str]:
    """The classes of a part that applies to some strategies only; none for a part that applies to all."""
    return ["only", *(f"only-{name}" for name in strategies)] if strategies else []


def classes_of(setting: str) -> list[str]:
    """The classes of a setting's control."""
    options = allowed_settings()[setting]
    needs = [_needs(*options.idle)] if options.idle else []
    return [*only(users(setting)), *(["wide"] if options.wide else []), *needs]


def in_form_order() -> tuple[str, ...]:
    """The strategies in the order of their buttons: searches, then strategies that draw."""
    return (*family(Family.SEARCH), *family(Family.DRAW))


def applicable_rules() -> str:
    """Style rules that hide inapplicable parts and rare strategies, and put those that draw after the others.

    Hidden parts leave the tab order, too.
    """
    hidden = [f"{_when('strategy', name)} .only:not(.only-{name})" for name in names()]
    idle = dict.fromkeys(setting.idle for setting in allowed_settings().values() if setting.idle)
    hidden += [f"{_when(*condition)} .{_needs(*condition)}" for condition in idle]
    rare = ", ".join(f'[value="{name}"]' for name in names() if description_of(name).rare)
    unchosen = f"label:has(:is({rare}):not(:checked))"
    first_draw = len(family(Family.SEARCH)) + 1
    return "\n".join(
        (
            ",\n".join(hidden) + " { display: none !important; }",
            f".strategies label:nth-of-type(n + {first_draw}) {{ order: 2; }}",
            f"{FORM_SELECTOR}:has(.more-strategies input:not(:checked)) .strategies {unchosen}"
            " { display: none !important; }",
        )
    )


def _when(setting: str, value: str) -> str:
    return f'{FORM_SELECTOR}:has(#{setting} input[value="{value}"]:checked)'


def _needs(setting: str, value: str) -> str:
    return f"{setting}-not-{value}"
