"""The choice of strategies: a list of presets to tick, and a form for a variant.

The value is a list of settings, each an object by the names of `DecodingOptions`; it comes from a browser,
so check it. `data-ready` on the root counts the drawings of the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from demo.i18n import say
from demo.widgets.captions.options import constraint_phrases, details, short_name
from demo.widgets.view.view import View
from demo.work.errors import form_sentence
from demo.work.operator.caps import allowed_settings
from demo.work.requests.checks import RequestError
from demo.work.requests.compare import MAX_ROWS
from demo.work.requests.decode import decoding_options, default_options
from models.decoding.strategies import description_of, names

Values = dict[str, Any]


def presets(ticked: bool = False) -> list[Values]:
    """The presets, or only those that are ticked when the page opens."""
    all_presets = [(preset, name) for name in names() for preset in description_of(name).presets]
    ordered = sorted(all_presets, key=lambda pair: pair[0].position)
    return [{"strategy": name, **preset.settings} for preset, name in ordered if preset.ticked or not ticked]


class StrategyPicker(View):
    """Several strategies, or with `many=False` exactly one."""

    def __init__(self, *, many: bool = True, few: int = 0, label: str = "Strategies", **options: Any) -> None:
        """`few` is the largest number of ticked strategies; half as many are ticked when the page opens."""
        default = asdict(default_options())
        usual = [preset for preset in presets() if preset["strategy"] == default["strategy"]]
        ready = presets(ticked=True)
        super().__init__(
            "widgets/strategy_picker",
            (ready[: few // 2] if few else ready) if many else usual[:1],
            events=("change",),
            label=label,
            server_functions=[describe],
            many=many,
            most=(few or MAX_ROWS) if many else 1,
            **self.translated_props(),
            defaults={name: value for name, value in default.items() if name != "max_length"},
            **options,
        )

    def translated_props(self) -> dict[str, Any]:
        """The presets and forms in the language of the request."""
        ready = [{"settings": preset, **describe(preset)} for preset in presets()]
        return {"presets": ready, "forms": forms()}

    def postprocess(self, value: Sequence[Values] | None) -> list[Values]:
        """Convert the value for the browser."""
        return list(value or ())


def describe(values: object) -> dict[str, Any]:
    """Name, details and constraints of a strategy, or a sentence about the problem with it."""
    try:
        options = decoding_options(values)
    except RequestError as error:
        return {"problem": form_sentence(error)}
    constraints = constraint_phrases(vars(options))
    return {"name": short_name(options), "details": details(options), "constraints": constraints}


def forms() -> list[dict[str, Any]]:
    """The main fields of each strategy."""
    return [
        {
            "strategy": name,
            "name": say(description_of(name).title or description_of(name).label),
            "fields": [_field(setting) for setting in description_of(name).main],
        }
        for name in names()
    ]


def _field(name: str) -> dict[str, Any]:
    setting = allowed_settings()[name]
    field = {"value": setting.default, "name": name, "label": say(setting.brief or setting.label)}
    if setting.choices:
        return {**field, "choices": {choice.value: say(choice.label) for choice in setting.choices}}
    return {**field, "least": setting.low, "most": setting.high, "step": setting.step}
