"""The facts that help a reader choose a checkpoint, at a glance."""

from __future__ import annotations

from typing import Any

from demo.i18n import say
from demo.i18n.display import capitalize, number_text
from demo.widgets.view.view import View
from models.registry.card import CheckpointCard, Metric
from models.sizes import size_text

UNITLESS = {"bleu", "chrf", "perplexity"}  # every other metric is a percentage
TEMPLATE = """
<div class="cc">
  <p class="cc-summary"></p><dl class="cc-facts"></dl><p class="cc-problem" role="alert"></p>
</div>
"""


class CheckpointSummary(View):
    """Shows a CheckpointCard, or a sentence that says why it cannot be read."""

    def __init__(self, value: CheckpointCard | str | None = None, **settings: Any) -> None:
        self._opening = value
        super().__init__("widgets/checkpoint_card", value, template=TEMPLATE, **settings)

    def translated_props(self) -> dict[str, Any]:
        """The initial value, in the language of the request."""
        return {"value": self.postprocess(self._opening)}

    def postprocess(self, value: CheckpointCard | str | None) -> dict[str, Any]:
        """Convert the value for the browser."""
        if not isinstance(value, CheckpointCard):
            return {"summary": "", "facts": [], "problem": value or ""}
        return {"summary": say(value.summary), "facts": facts(value), "problem": ""}


def facts(card: CheckpointCard) -> list[dict[str, str]]:
    """Name, value and note of each fact, metrics first."""
    size = say("parameters, {size} on disk", size=size_text(card.bytes))
    licence = say("weights: {licence}", licence=card.licence)
    rows = (
        (say("Task"), say(capitalize(card.task)), " → ".join(card.languages)),
        (say("Network"), network_text(card), ""),
        (say("Size"), count_text(card.parameters), size),
        (say("Trained on"), capitalize(say(card.data)), licence),
    )
    named = ({"name": name, "value": value, "note": note} for name, value, note in rows)
    return [*map(metric_fact, card.metrics), *named]


def metric_fact(metric: Metric) -> dict[str, str]:
    """A metric with its name, its value and its data set."""
    unit = "" if metric.name.lower() in UNITLESS else "%"
    name = say(metric.name)
    name = capitalize(name) if name.islower() else name  # chrF is spelt so
    return {"name": name, "value": f"{number_text(metric.value, 1)}{unit}", "note": say(metric.dataset)}


def network_text(card: CheckpointCard) -> str:
    """The architecture in a few words."""
    return capitalize(say(card.architecture))


def count_text(number: int) -> str:
    """A number of parameters in short form: 4.0 M, 652 k."""
    return f"{number_text(number / 1e6, 1)} M" if number >= 1e6 else f"{number_text(number / 1e3, 0)} k"
