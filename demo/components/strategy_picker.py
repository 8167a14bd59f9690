"""The choice of strategies: a list of ready ones to tick, and a row to make one's own.

The value is a list of settings, each an object by the names of `StrategySettings`; it comes from a browser,
so check it. `data-ready` on the root counts the times that the list was drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import gradio as gr

from demo.checks import RequestError
from demo.comparison.names import MAIN_SETTINGS, details, short_name
from demo.comparison.request import MAX_ROWS, strategy_settings
from demo.components.translated import with_words
from demo.i18n import later, say
from demo.limits import (
    MAX_BEAM_SIZE,
    MAX_DIVERSITY,
    MAX_LENGTH_PENALTY,
    MAX_NODE_BUDGET,
    MAX_SAMPLES,
    MAX_SEED,
    MAX_TEMPERATURE,
    MAX_TOP_K,
    MIN_NODE_BUDGET,
)
from demo.strategy import STRATEGIES, UTILITIES, StrategySettings

ASSETS = Path(__file__).parent / "assets"
Values = dict[str, Any]

# Ready to tick; the first ones are ticked when the page opens.
PRESETS: tuple[Values, ...] = (
    {"strategy": "greedy"},
    {"strategy": "beam", "beam_size": 4},
    {"strategy": "beam", "beam_size": 4, "length_penalty": 0.6},
    {"strategy": "diverse", "beam_size": 4, "num_groups": 2},
    {"strategy": "sampling", "num_samples": 1},
    {"strategy": "stochastic", "beam_size": 4, "temperature": 0.5},
    {"strategy": "mbr", "num_samples": 16},
    {"strategy": "exact", "node_budget": 5000},
    {"strategy": "beam", "beam_size": 8},
    {"strategy": "threshold", "beam_size": 4},
)
NUM_TICKED = 8
NAMES = {
    "greedy": later("Greedy"),
    "beam": later("Beam search"),
    "diverse": later("Diverse beam search"),
    "stochastic": later("Stochastic beam search"),
    "threshold": later("Threshold beam search"),
    "sampling": later("Sampling"),
    "mbr": later("Minimum Bayes risk"),
    "exact": later("Exact search"),
    "exhaustive": later("Exhaustive search"),
}
# name -> label, least, most, step
NUMBERS: dict[str, tuple[str, float, float, float]] = {
    "beam_size": (later("Beams"), 1, MAX_BEAM_SIZE, 1),
    "length_penalty": (later("Length penalty α"), -MAX_LENGTH_PENALTY, MAX_LENGTH_PENALTY, 0.1),
    "num_groups": (later("Groups"), 1, MAX_BEAM_SIZE, 1),
    "diversity": (later("Diversity λ (nats)"), 0, MAX_DIVERSITY, 0.1),
    "threshold": (later("Threshold (ratio)"), 0, 1, 0.01),
    "num_samples": (later("Samples"), 1, MAX_SAMPLES, 1),
    "temperature": (later("Temperature"), 0.05, MAX_TEMPERATURE, 0.05),
    "top_k": (later("Top-k (0: all)"), 0, MAX_TOP_K, 1),
    "top_p": (later("Top-p"), 0.01, 1, 0.01),
    "node_budget": (later("Budget (prefixes)"), MIN_NODE_BUDGET, MAX_NODE_BUDGET, 100),
    "seed": (later("Seed"), 0, MAX_SEED, 1),
}
CHOICES: dict[str, tuple[str, dict[str, str]]] = {
    "utility": (later("Utility"), {name: {"chrf": "chrF", "bleu": "BLEU"}[name] for name in UTILITIES})
}


class StrategyPicker(gr.HTML):
    """Several strategies, or with `many=False` exactly one."""

    def __init__(self, *, many: bool = True, label: str = "Strategies", **options: Any) -> None:
        default = asdict(StrategySettings())
        ticked = PRESETS[:NUM_TICKED] if many else PRESETS[1:2]
        super().__init__(
            value=list(ticked),
            label=label,
            html_template=(ASSETS / "strategy_picker.html").read_text(encoding="utf-8"),
            css_template=(ASSETS / "strategy_picker.css").read_text(encoding="utf-8"),
            js_on_load=with_words("strategy_picker.js"),
            server_functions=[describe],
            apply_default_css=False,
            many=many,
            most=MAX_ROWS if many else 1,
            **self.spoken_props(),
            defaults={name: value for name, value in default.items() if name != "max_length"},
            **options,
        )

    def spoken_props(self) -> dict[str, Any]:
        """What it shows in the language of the request."""
        presets = [{"settings": preset, **describe(preset)} for preset in PRESETS]
        return {"presets": presets, "forms": forms()}

    def postprocess(self, value: Sequence[Values] | None) -> list[Values]:
        """As the browser reads it."""
        return list(value or ())

    def api_info(self) -> dict[str, Any]:
        """What an endpoint takes."""
        return {
            "type": "array",
            "items": {"type": "object"},
            "description": 'Strategies by their settings, such as [{"strategy": "beam", "beam_size": 4}]',
        }

    def example_payload(self) -> Any:
        """For the page that documents the API."""
        return list(PRESETS[:2])


def describe(values: object) -> dict[str, str]:
    """The name and the details of a strategy, or the sentence that says what is wrong with it."""
    try:
        settings = strategy_settings(values)
    except RequestError as error:
        return {"problem": str(error)}
    return {"name": short_name(settings), "details": details(settings)}


def forms() -> list[dict[str, Any]]:
    """For each strategy the fields that make it what it is."""
    default = StrategySettings()
    return [
        {
            "strategy": strategy,
            "name": say(NAMES[strategy]),
            "fields": [{"value": getattr(default, name), **_field(name)} for name in MAIN_SETTINGS[strategy]],
        }
        for strategy in STRATEGIES
    ]


def _field(name: str) -> dict[str, Any]:
    if name in CHOICES:
        label, choices = CHOICES[name]
        return {"name": name, "label": say(label), "choices": choices}
    label, least, most, step = NUMBERS[name]
    return {"name": name, "label": say(label), "least": least, "most": most, "step": step}
