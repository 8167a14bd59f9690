"""Handlers of the Hub's section: look a model up, add it, cancel, remove."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from demo.i18n import later
from demo.work.context import AppContext
from demo.work.errors import failure_text, sentence
from demo.work.hub.access import FETCHES_NOTHING, hub_of
from demo.work.hub.hub import HubState
from demo.work.requests.checks import RequestError, check_short_text
from models.hub.errors import HubError
from models.hub.listing.repository import check_repo_id, check_revision, read_listing

MAX_TYPED_CHARACTERS = 200  # characters of a name or a revision
REPORT_SECONDS = 0.3  # seconds between two reports of progress


def on_hub(context: AppContext, session: str) -> HubState:
    """The current state of the section."""
    return hub_of(context, FETCHES_NOTHING).state(session)


def on_preview(context: AppContext, session: str, data: object) -> HubState:
    """Facts about a model before anything is fetched; a problem is shown at the field."""
    hub = hub_of(context, FETCHES_NOTHING)
    repo, revision = _repository(data)
    visitor = hub.additions.visitor(session)
    try:
        visitor.listing = read_listing(repo, revision, hub.settings)
    except Exception as error:
        visitor.listing = failure_text(error, "looking at a model")
    return hub.state(session)


def on_add(context: AppContext, session: str, data: object) -> Iterator[HubState]:
    """Fetch a model: its progress, then its card, or the reason of a failure."""
    hub = hub_of(context, FETCHES_NOTHING)
    repo, revision = _repository(data)
    try:
        repo, revision = check_repo_id(repo), check_revision(revision)
    except HubError as error:
        hub.additions.visitor(session).listing = sentence(error)
        yield hub.state(session)
        return
    hub.additions.begin(session, repo, revision)
    try:
        while repo in (state := hub.state(session)).adding:
            yield state
            time.sleep(REPORT_SECONDS)
    finally:
        hub.additions.leave(session, repo)
    yield hub.state(session)


def on_cancel(context: AppContext, session: str, data: object) -> None:
    """Stop adding a model, unless other visitors want it too."""
    hub = hub_of(context, FETCHES_NOTHING)
    hub.additions.leave(session, _repository(data)[0])


def on_remove(context: AppContext, session: str, data: object) -> HubState:
    """Delete a model from this machine, where visitors may add any."""
    hub = hub_of(context, FETCHES_NOTHING)
    repo, _ = _repository(data)
    if not hub.is_free:
        raise RequestError("removal_by_visitor", "Only the operator of this server can remove a model.")
    try:
        hub.store.remove(repo)
    except HubError as error:
        hub.additions.visitor(session).note(repo, sentence(error))
    return hub.state(session)


def _repository(data: object) -> tuple[str, str]:
    """The name and revision in a request. Raises RequestError unless both are short texts."""
    result: dict[Any, Any] = data if isinstance(data, dict) else {}
    repo, revision = result.get("repo"), result.get("revision") or ""
    check_short_text(later("name of the model"), repo, MAX_TYPED_CHARACTERS)
    check_short_text(later("revision"), revision, MAX_TYPED_CHARACTERS)
    return str(repo), str(revision)
