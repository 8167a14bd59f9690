"""Access to the Hub, on a server that has it."""

from __future__ import annotations

from demo.work.context import AppContext
from demo.work.hub.hub import Hub
from demo.work.requests.checks import RequestError
from models.errors import Message

FETCHES_NOTHING = Message(
    "hub_not_fetched", "This server fetches nothing from the Hub. Choose one of its own checkpoints."
)
SENDS_NOTHING = Message(
    "hub_not_sent_to", "This server sends nothing to the Hub. Download the folder and push it yourself."
)


def hub_of(context: AppContext, refusal: str) -> Hub:
    """The Hub. Raises RequestError with `refusal`, which says what to do instead, if the server has none."""
    if context.hub is None:
        raise RequestError(refusal)
    return context.hub
