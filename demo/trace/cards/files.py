"""The card of downloads, named "files" in payloads: the trace, and the view as a page of its own."""

from __future__ import annotations

from typing import Any

from demo.i18n import say
from demo.trace.trace_card import Card
from demo.widgets.captions.options import constraint_phrases, short_name_of
from models.decoding.description import FormPart
from models.decoding.options import settings
from models.decoding.record.recorded_settings import option_values
from models.decoding.strategies import description_of, is_used
from models.decoding.trace import DecodingTrace


def options(trace: DecodingTrace) -> dict[str, Any]:
    """The options of the trace's request that its strategy uses, by the names of a link's parameters."""
    values = option_values(trace.strategy, trace.settings)
    return {name: value for name, value in values.items() if is_used(name, trace.strategy)}


def strategy_text(trace: DecodingTrace) -> str:
    """The strategy and its main settings, for the heading of an exported page."""
    of_strategy, recorded = description_of(trace.strategy), options(trace)
    values = {name: recorded.get(name, settings()[name].default) for name in of_strategy.settings}
    if any(settings()[name].problem(value) for name, value in values.items()):
        return say(of_strategy.label)  # the trace comes from a program with other bounds
    return short_name_of(trace.strategy, {name: item.default for name, item in settings().items()} | values)


def constraints(trace: DecodingTrace) -> list[str]:
    """The constraints of the trace's request in words, except those that this program refuses."""
    values = {
        name: value
        for name, value in options(trace).items()
        if settings()[name].part is FormPart.CONSTRAINT and settings()[name].problem(value) is None
    }
    return constraint_phrases(values)


CARD = Card(
    name="files",
    position=1000,
    html='<span class="tv-downloads" data-copy="output"></span>',
    hidden_by=("downloads",),
    tag="footer",
    payload={"strategy": strategy_text, "options": options, "constraints": constraints},
    attributes='class="tv-files" role="group" aria-label="Download this result"',
)
