"""Sends a run's checkpoint to its owner's account on the Hub; the token passes through, kept nowhere."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from demo.errors import CALM, sentence
from demo.i18n import later, say
from demo.requests.checks import RequestError, check_short_text
from demo.service.background import Background
from demo.service.context import AppContext
from demo.service.hub.hub import Hub
from demo.service.training.enabled import enabled
from demo.service.training.training import finished_checkpoint
from demo.views.push.component import PushMoment
from models.hub.errors import HubError
from models.hub.listing.repository import check_repo_id
from models.hub.upload.hub_card import card_for_hub
from models.hub.upload.push import push
from models.training.runs.collection import UnknownRunError

LONGEST = 500  # characters of a name or a token
INTERVAL = 1.0  # seconds between two words of progress
PRIVATELY = later("Sending to {name}, private: {seconds} s.")
PUBLICLY = later("Sending to {name}, public: {seconds} s.")
SENT_PRIVATELY = later("{name} is on the Hub, private: only you can see it.")
SENT_PUBLICLY = later("{name} is on the Hub, public.")
PROVISIONAL = "your-name/your-model"  # in the card, until there is a name

logger = logging.getLogger("unrolled")


def on_card(context: AppContext, token: object, run_id: object, repo_id: object) -> PushMoment:
    """README.md as it will be, under the name that was typed as far as it is one."""
    try:
        folder = _folder(context, token, run_id)
        try:
            name = check_repo_id(repo_id)
        except HubError:
            name = PROVISIONAL
        return PushMoment(card=card_for_hub(folder, name))
    except (HubError, RequestError, UnknownRunError) as error:
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
    """Push with a pasted token, or else that of whoever is signed in; empties the token's box at once."""
    try:
        folder = _folder(context, token, run_id)
        check_short_text(later("name of the repository"), repo_id, LONGEST)
        if not str(repo_id or "").strip():
            raise RequestError(say("First type where it goes: owner/name."))
        _check_token(pasted)
        name = check_repo_id(repo_id)
    except (HubError, RequestError, UnknownRunError) as error:
        yield "", PushMoment("failed", sentence(error))
        return
    secret = str(pasted or "").strip() or signed_in or ""
    hidden = private is not False
    text = PRIVATELY if hidden else PUBLICLY
    # What is under way is sent to its end, whether or not the visitor stays.
    with Background(partial(_outcome, _hub(context), folder, name, secret, hidden)) as pushing:
        start = time.monotonic()
        yield "", PushMoment("sending", say(text, name=name, seconds="0"))
        while not pushing.is_done(INTERVAL):
            seconds = time.monotonic() - start
            yield "", PushMoment("sending", say(text, name=name, seconds=f"{seconds:.0f}"))
        yield "", pushing.result()


def _outcome(hub: Hub, folder: Path, name: str, secret: str, private: bool) -> PushMoment:
    try:
        done = push(folder, name, secret, private=private, settings=hub.settings)
    except HubError as error:
        return PushMoment("failed", sentence(error))
    except Exception as error:  # its message and its traceback are not noted: they might hold the token
        logger.error("a push failed: %s", type(error).__name__)
        return PushMoment("failed", say(CALM))
    text = SENT_PRIVATELY if done.private else SENT_PUBLICLY
    return PushMoment("done", say(text, name=name), done.url)


def _check_token(pasted: object) -> None:
    """Raises RequestError, which does not quote it."""
    if not (pasted is None or isinstance(pasted, str)) or len(str(pasted)) > LONGEST:
        raise RequestError(
            say("That is no token. Copy all of it, and nothing else, from the Hub's settings.")
        )


def _hub(context: AppContext) -> Hub:
    if context.hub is None:
        raise RequestError(
            say("This server sends nothing to the Hub. Download the folder and push it yourself.")
        )
    return context.hub


def _folder(context: AppContext, token: object, run_id: object) -> Path:
    """The checkpoint of a run of the visitor's own that rests. Raises RequestError, UnknownRunError."""
    _hub(context)
    training = enabled(context)
    run = training.runs.find(run_id)
    if run.id not in {own.id for own in training.runs.of(str(token))}:
        raise RequestError(say("Only the browser that started a run can send it to the Hub."))
    folder = finished_checkpoint(run)
    if run.state().is_active:
        raise RequestError(say("This run still writes its checkpoint. Stop it, or wait until it ends."))
    return folder
