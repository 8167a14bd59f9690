"""Reopening an earlier result: its request goes back into the controls; the browser keeps the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gradio as gr

from demo.decode.controls.source import example_updates, opening
from demo.decode.filling import DecodeTab, all_controls, settings_updates, source_updates
from demo.i18n import say
from demo.server.events import fill_in
from demo.server.gradio_compat import event_data
from demo.work.context import AppContext
from demo.work.errors import form_sentence, guard
from demo.work.requests.checks import RequestError, check_result
from demo.work.requests.decode import DecodeRequest, decoding_options
from models.registry.card import CheckpointError
from models.registry.name import UnknownCheckpointError


def on_reopen(context: AppContext, tab: DecodeTab, data: object) -> list[Any]:
    """Updates of the controls, the checkpoint that fills them, and data for the page's script.

    A result may come from elsewhere, or its checkpoint may have been removed: then the controls stay. Raises
    RequestError.
    """
    result = check_result(data)
    run = result.get("run") is True
    try:
        return [*_filled_in(context, tab, result), {"run": run, "notice": ""}]
    except (RequestError, UnknownCheckpointError, CheckpointError) as error:
        if run and isinstance(error, RequestError):
            raise
        notice = say("The controls stay as they are: {reason}", reason=form_sentence(error))
        return [*[gr.skip()] * (len(all_controls(tab)) + 1), {"run": False, "notice": notice}]


def _filled_in(context: AppContext, tab: DecodeTab, data: Mapping[str, Any]) -> list[Any]:
    settings = data.get("settings")
    if data.get("checkpoint") == "":  # a trace that a program made
        raise RequestError("trace_without_checkpoint", "It does not say which checkpoint made it.")
    request = DecodeRequest(data.get("checkpoint", ""), data.get("text", ""), decoding_options(settings))
    context.check_fits(request.checkpoint, request.text)
    content = opening(context, request.checkpoint)
    values = {name: getattr(request.settings, name) for name in settings or ()}
    return [
        *source_updates(context, request.checkpoint, content, request.text),
        *settings_updates(tab.strategy.controls, values),
        *example_updates(content.examples),
        request.checkpoint,
    ]


def wire_reopening(context: AppContext, tab: DecodeTab) -> None:
    """Fill in the controls for the page's script."""
    handler = guard(on_reopen, context, tab)

    def reopen(event: gr.EventData) -> Any:
        return handler(event_data(event))

    outputs = [*all_controls(tab), tab.form_checkpoint]
    filled = fill_in(
        tab.results.reopen, reopen, [], outputs, must_be_unchanged=tab.checkpoint, messages=[tab.results]
    )
    filled.done.success(None, tab.results, None, js=tab.results.filled, api_visibility="private")
    filled.answered.failure(js=tab.results.filled, api_visibility="private")
