"""The Hub of a server that has one."""

from __future__ import annotations

from demo.requests.checks import RequestError
from demo.service.context import AppContext
from demo.service.hub.hub import Hub
from models.errors import Message

FETCHES_NOTHING = Message(
    "hub_not_fetched", "This server fetches nothing from the Hub. Choose one of its own checkpoints."
)
SENDS_NOTHING = Message(
    "hub_not_sent_to", "This server sends nothing to the Hub. Download the folder and push it yourself."
)


def hub_of(context: AppContext, refusal: str) -> Hub:
    """The service. Raises RequestError with `refusal`, which says what to do instead, where there is none."""
    if context.hub is None:
        raise RequestError(refusal)
    return context.hub
