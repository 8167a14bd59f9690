"""The Hub's section: look a model up, add it, cancel, remove, and every list that a new model appears in."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from demo.checkpoints.hub_shelf.component import HubShelf
from demo.i18n import later
from demo.server.events import PRIVATE, QUICK, REFRESH
from demo.server.gradio_compat import event_data
from demo.widgets.form.choices import OtherTabs, own_checkpoints, picker_updates
from demo.work.context import AppContext
from demo.work.errors import failure_text, guard, sentence
from demo.work.hub import FETCHES_NOTHING, HubState, hub_of
from demo.work.operator.caps import HUB
from demo.work.requests.checks import RequestError, check_short_text
from models.hub.errors import HubError
from models.hub.listing.repository import check_repo_id, check_revision, read_listing
from models.registry.name import CheckpointName

MAX_TYPED_CHARACTERS = 200  # characters of a name or a revision
REPORT_SECONDS = 0.3  # seconds between two reports of progress
HUB_EVENT: dict[str, Any] = {**PRIVATE, **HUB.queue, "trigger_mode": "multiple"}


def on_hub(context: AppContext, session: str) -> HubState:
    """The current state of the section."""
    return hub_of(context.hub, FETCHES_NOTHING).state(session)


def on_preview(context: AppContext, session: str, data: object) -> HubState:
    """Facts about a model before anything is fetched; a problem is shown at the field."""
    hub = hub_of(context.hub, FETCHES_NOTHING)
    repo, revision = _repository(data)
    visitor = hub.additions.visitor(session)
    try:
        visitor.listing = read_listing(repo, revision, hub.settings)
    except Exception as error:
        visitor.listing = failure_text(error, "looking at a model")
    return hub.state(session)


def on_add(context: AppContext, session: str, data: object) -> Iterator[HubState]:
    """Fetch a model: its progress, then its card, or the reason of a failure."""
    hub = hub_of(context.hub, FETCHES_NOTHING)
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
    hub = hub_of(context.hub, FETCHES_NOTHING)
    hub.additions.leave(session, _repository(data)[0])


def on_remove(context: AppContext, session: str, data: object) -> HubState:
    """Delete a model from this machine, where visitors may add any."""
    hub = hub_of(context.hub, FETCHES_NOTHING)
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


def on_lists(context: AppContext, token: object, *values: object) -> Any:
    """Updates for every list of checkpoints."""
    updates = picker_updates(context, own_checkpoints(context, token), values, len(values))
    return updates if len(updates) > 1 else updates[0]


def on_variant_chosen(context: AppContext, token: object, *values: object) -> Any:
    """Offer a variant that was chosen on the Decode tab in the lists of Compare, too."""
    if CheckpointName.of(str(values[0])).variant:
        return on_lists(context, token, *values)
    return [gr.skip()] * len(values) if len(values) > 1 else gr.skip()


def wire_hub(
    context: AppContext, tab: gr.Tab, shelf: HubShelf, others: OtherTabs
) -> list[gr.events.Dependency]:
    """Wire the section's events; returns those that change the list of models."""
    add, state = guard(on_add, context), guard(on_hub, context)

    def show(request: gr.Request) -> Any:
        return state(str(request.session_hash))

    def handle_fetch(request: gr.Request, event: gr.EventData) -> Iterator[Any]:
        yield from add(str(request.session_hash), event_data(event))

    def handler_of(function: Callable[..., Any]) -> Callable[..., Any]:
        answer = guard(function, context)

        def handle(request: gr.Request, event: gr.EventData) -> Any:
            return answer(str(request.session_hash), event_data(event))

        return handle

    lists: dict[str, Any] = {
        "inputs": [others.visitor, *others.pickers],
        "outputs": list(others.pickers),
        "preprocess": False,
        **REFRESH,
    }
    fill = guard(on_lists, context)
    for event in (tab.select, *([] if context.training is not None else [others.page.load])):
        event(fill, **lists)
    others.pickers[0].change(guard(on_variant_chosen, context), **lists)
    tab.select(show, None, shelf, **QUICK)
    shelf.lookup(handler_of(on_preview), None, shelf, **HUB_EVENT).failure(show, None, shelf, **REFRESH)
    shelf.forgo(handler_of(on_cancel), None, None, **QUICK)
    added = shelf.fetch(handle_fetch, None, shelf, **HUB_EVENT)
    added.failure(show, None, shelf, **REFRESH)
    removed = shelf.discard(handler_of(on_remove), None, shelf, **HUB_EVENT)
    for changed in (added, removed):
        changed.success(fill, **lists)
    return [added, removed]
