"""Handlers of “Send to the Hub”: the card, the upload, and its result.

The token is used once and never stored.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from demo.i18n import later, say
from demo.i18n.display import number_text
from demo.training.choices import training_service
from demo.training.push.component import PushMoment
from demo.work.background import Background
from demo.work.context import AppContext
from demo.work.errors import failure_text, sentence
from demo.work.hub.access import SENDS_NOTHING, hub_of
from demo.work.requests.checks import RequestError, check_short_text
from demo.work.training_service import finished_checkpoint
from models.hub.errors import HubError
from models.hub.listing.repository import check_repo_id
from models.hub.settings import HubSettings
from models.hub.upload.hub_card import card_for_hub
from models.hub.upload.push import push
from models.training.runs.collection import UnknownRunError

MAX_TYPED_CHARACTERS = 500  # characters of a name or a token
PROVISIONAL_NAME = "your-name/your-model"  # the name in the card until the user gives one
REPORT_SECONDS = 1.0  # seconds between two reports of progress
SENDING_PRIVATE = later("Sending to {name}, private: {seconds} s.")
SENDING_PUBLIC = later("Sending to {name}, public: {seconds} s.")
SENT_PRIVATELY = later("{name} is on the Hub, private: only you can see it.")
SENT_PUBLICLY = later("{name} is on the Hub, public.")
REFUSALS = (HubError, RequestError, UnknownRunError)


@dataclass(frozen=True)
class PushOrder:
    """A checkpoint to be sent to the Hub."""

    folder: Path
    name: str  # the name of the repository, owner/name
    private: bool
    secret: str = field(repr=False)  # the token
    settings: HubSettings


def push_order(
    context: AppContext,
    signed_in: str | None,
    visitor: object,
    run_id: object,
    repo_id: object,
    private: object,
    pasted: object,
) -> PushOrder:
    """Check a request to send a checkpoint, with a pasted token, or else with that of the signed-in visitor.

    Raises RequestError, UnknownRunError, HubError, whose messages never quote a token.
    """
    folder = _own_checkpoint(context, visitor, run_id)
    check_short_text(later("name of the repository"), repo_id, MAX_TYPED_CHARACTERS)
    if not str(repo_id or "").strip():
        raise RequestError("hub_name_missing", "First type where it goes: owner/name.")
    if not (pasted is None or isinstance(pasted, str)) or len(str(pasted)) > MAX_TYPED_CHARACTERS:
        raise RequestError(
            "not_a_hub_token",
            "That is not a token. Copy all of it, and nothing else, from the Hub's settings.",
        )
    secret = str(pasted or "").strip() or signed_in or ""
    settings = hub_of(context, SENDS_NOTHING).settings
    return PushOrder(folder, check_repo_id(repo_id), private is not False, secret, settings)


def card_to_push(context: AppContext, visitor: object, run_id: object, repo_id: object) -> str:
    """The README.md that will be sent, under the typed name if that is valid.

    Raises RequestError, UnknownRunError, HubError.
    """
    folder = _own_checkpoint(context, visitor, run_id)
    try:
        name = check_repo_id(repo_id)
    except HubError:
        name = PROVISIONAL_NAME
    return card_for_hub(folder, name)


def _own_checkpoint(context: AppContext, visitor: object, run_id: object) -> Path:
    """The checkpoint of a visitor's inactive run. Raises RequestError, UnknownRunError."""
    hub_of(context, SENDS_NOTHING)
    training = training_service(context)
    run = training.runs.find(run_id)
    if run.id not in {other.id for other in training.runs.of(str(visitor))}:
        raise RequestError("push_of_another", "Only the browser that started a run can send it to the Hub.")
    folder = finished_checkpoint(run)
    if run.state().is_active:
        raise RequestError(
            "push_of_unfinished", "This run still writes its checkpoint. Stop it, or wait until it ends."
        )
    return folder


def on_card(context: AppContext, token: object, run_id: object, repo_id: object) -> PushMoment:
    """The future README.md."""
    try:
        return PushMoment(card=card_to_push(context, token, run_id, repo_id))
    except REFUSALS as error:
        return PushMoment("failed", sentence(error))


def on_push(context: AppContext, signed_in: str | None, *values: object) -> Iterator[tuple[str, PushMoment]]:
    """Push a run as `push_order` takes the values; empties the token's box at once."""
    try:
        order = push_order(context, signed_in, *values)
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
        pushed = push(order.folder, order.name, order.secret, private=order.private, settings=order.settings)
    except Exception as error:
        return PushMoment("failed", failure_text(error, "a push", secret=True))  # it might hold the token
    text = SENT_PRIVATELY if pushed.private else SENT_PUBLICLY
    return PushMoment("done", say(text, name=order.name), pushed.url)
