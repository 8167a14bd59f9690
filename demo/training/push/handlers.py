"""Handlers of “Send to the Hub”: the card, the upload, and its result."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from demo.i18n import later, say
from demo.i18n.display import number_text
from demo.training.push.component import PushMoment
from demo.training.push.pushing import PushOrder, card_to_push, push_order
from demo.work.background import Background
from demo.work.context import AppContext
from demo.work.errors import failure_text, sentence
from demo.work.requests.checks import RequestError
from models.hub.errors import HubError
from models.training.runs.collection import UnknownRunError

REPORT_SECONDS = 1.0  # seconds between two reports of progress
SENDING_PRIVATE = later("Sending to {name}, private: {seconds} s.")
SENDING_PUBLIC = later("Sending to {name}, public: {seconds} s.")
SENT_PRIVATELY = later("{name} is on the Hub, private: only you can see it.")
SENT_PUBLICLY = later("{name} is on the Hub, public.")
REFUSALS = (HubError, RequestError, UnknownRunError)


def on_card(context: AppContext, token: object, run_id: object, repo_id: object) -> PushMoment:
    """The future README.md."""
    try:
        return PushMoment(card=card_to_push(context, token, run_id, repo_id))
    except REFUSALS as error:
        return PushMoment("failed", sentence(error))


def on_push(
    context: AppContext,
    signed_in: str | None,
    token: object,
    run_id: object,
    repo_id: object,
    private: object,
    pasted: object,
) -> Iterator[tuple[str, PushMoment]]:
    """Push with a pasted token, or that of the signed-in visitor; empties the token's box at once."""
    try:
        order = push_order(context, token, run_id, repo_id, private, (pasted, signed_in))
    except REFUSALS as error:
        yield "", PushMoment("failed", sentence(error))
        return
    text = SENDING_PRIVATE if order.private else SENDING_PUBLIC
    # A push that has begun goes on to its end, whether or not the visitor stays.
    with Background(partial(_outcome, order)) as pushing:
        start = time.monotonic()
        yield "", PushMoment("sending", say(text, name=order.name, seconds="0"))
        while not pushing.is_done(REPORT_SECONDS):
            seconds = time.monotonic() - start
            yield "", PushMoment("sending", say(text, name=order.name, seconds=number_text(seconds, 0)))
        yield "", pushing.result()


def _outcome(order: PushOrder) -> PushMoment:
    try:
        pushed = order.send()
    except Exception as error:
        return PushMoment("failed", failure_text(error, "a push", secret=True))  # it might hold the token
    text = SENT_PRIVATELY if pushed.private else SENT_PUBLICLY
    return PushMoment("done", say(text, name=order.name), pushed.url)
