"""The card of downloads: the trace, and the view as a page of its own."""

from __future__ import annotations

from typing import Any

from demo.i18n import say
from demo.service.comparison.names import short_name
from demo.views.trace.trace_card import Card
from models.decoding.options import DecodingOptions
from models.decoding.record.recorded_settings import option_values
from models.decoding.strategies import described
from models.decoding.trace import DecodingTrace
from models.errors import UnrolledError


def options(trace: DecodingTrace) -> dict[str, Any]:
    """The settings of its request, by the names of a link's parameters."""
    return option_values(trace.strategy, trace.settings)


def strategy_text(trace: DecodingTrace) -> str:
    """The strategy and its main settings, for the heading of an exported page."""
    of_strategy = described(trace.strategy)
    settings = {name: trace.settings[name] for name in of_strategy.settings if name in trace.settings}
    # A setting with three states is a word among the options.
    settings = {
        name: str(value).lower() if isinstance(value, bool) else value for name, value in settings.items()
    }
    try:
        return short_name(DecodingOptions(strategy=trace.strategy, **settings))
    except UnrolledError:  # the trace may come from a program with other bounds
        return say(of_strategy.label)


CARD = Card(
    name="files",
    position=1000,
    html='<span class="tv-downloads" data-copy="output"></span>',
    hidden_by=("downloads",),
    tag="footer",
    payload={"asked": strategy_text, "options": options},
    attributes='class="tv-files" role="group" aria-label="Download this result"',
)
