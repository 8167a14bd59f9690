"""The wiring of the Hub's section: its state, and every list that a new model appears in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gradio as gr

from demo.checkpoints.hub_handlers import on_add, on_cancel, on_hub, on_preview, on_remove
from demo.checkpoints.hub_shelf.component import HubShelf
from demo.server.gradio_compat import event_data
from demo.server.queues import PRIVATE, QUICK, REFRESH
from demo.widgets.form.choices import own_checkpoints, picker_updates
from demo.work.context import AppContext
from demo.work.errors import guard
from demo.work.operator.work import HUB
from models.registry.name import CheckpointName

HUB_EVENT: dict[str, Any] = {**PRIVATE, **HUB.queue, "trigger_mode": "multiple"}


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
    context: AppContext,
    page: gr.Blocks,
    visitor: gr.BrowserState,
    tab: gr.Tab,
    shelf: HubShelf,
    pickers: Sequence[gr.Dropdown],
) -> list[gr.events.Dependency]:
    """Wire the section's events; returns those that change the list of models.

    `pickers` are the list of the Decode tab and those of Compare.
    """
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

    checkpoint_lists = list(pickers)
    lists: dict[str, Any] = {
        "inputs": [visitor, *checkpoint_lists],
        "outputs": checkpoint_lists,
        "preprocess": False,
        **REFRESH,
    }
    fill = guard(on_lists, context)
    for event in (tab.select, *([] if context.training is not None else [page.load])):
        event(fill, **lists)
    pickers[0].change(guard(on_variant_chosen, context), **lists)
    tab.select(show, None, shelf, **QUICK)
    shelf.lookup(handler_of(on_preview), None, shelf, **HUB_EVENT).failure(show, None, shelf, **REFRESH)
    shelf.forgo(handler_of(on_cancel), None, None, **QUICK)
    added = shelf.fetch(handle_fetch, None, shelf, **HUB_EVENT)
    added.failure(show, None, shelf, **REFRESH)
    removed = shelf.discard(handler_of(on_remove), None, shelf, **HUB_EVENT)
    for changed in (added, removed):
        changed.success(fill, **lists)
    return [added, removed]
