"""Events of the page: their options, and answers that fill in controls, but none that the reader has changed.

Handlers that decode share one queue and a rate limit.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.server.gradio_compat import BlockFunction
from demo.work.operator.caps import DECODING

PRIVATE: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
# An event that is answered in milliseconds waits in no queue. A raw event's handler checks the values itself:
# Gradio's own checks would refuse a value without the handler's reason.
QUICK: dict[str, Any] = {**PRIVATE, "queue": False}
RAW_QUICK: dict[str, Any] = {**QUICK, "preprocess": False}
# An event that reads again after a request. Requests overlap, and Gradio's default drops the event of one
# that ends while an earlier answer is under way.
REFRESH: dict[str, Any] = {**QUICK, "trigger_mode": "always_last"}
# When the page sends a question, its script stores the values of the controls and sends a number instead.
SEND = "(...values) => unrolled.sendQuestion(IDS, COUNT, values)"
FORGET = "() => { unrolled.forgetQuestion(IDS); }"
FILL = "(answer, ...values) => unrolled.fillIn(IDS, UNCHANGED, answer, values)"


def decoding(**options: Any) -> dict[str, Any]:
    """Gradio's options of an event whose handler decodes."""
    return {**DECODING.queue, **options}


# "multiple": a request during a run takes its place, and a link's next edit waits for no answer.
RAW_DECODING = decoding(**PRIVATE, preprocess=False, trigger_mode="multiple")


def is_decoding(function: BlockFunction) -> bool:
    """Whether a handler of the page decodes."""
    return function.concurrency_id == DECODING.name


@dataclass(frozen=True)
class Filling:
    """The two events of an answer that fills in controls."""

    answered: gr.events.Dependency  # the server has answered the question, or failed
    done: gr.events.Dependency  # the controls have their values


def fill_in(
    on: Callable[..., gr.events.Dependency],
    handler: Callable[..., Any],
    inputs: Sequence[Component],
    outputs: Sequence[Component],
    *,
    must_be_unchanged: Component | None = None,
    messages: Sequence[Component] = (),
    **options: Any,
) -> Filling:
    """Call `handler` on an event, and fill its answer into the outputs that have not changed since then.

    If the value of `must_be_unchanged` has changed, the answer is out of date, and all outputs stay: the
    reader has chosen another checkpoint, for example. The values of `messages`, the last ones of the answer,
    arrive in any case.
    """
    watched = list(outputs)
    if must_be_unchanged is not None and must_be_unchanged not in outputs:
        watched.append(must_be_unchanged)
    ids = json.dumps([component._id for component in watched])
    fixed_id = None if must_be_unchanged is None else must_be_unchanged._id
    answer = gr.JSON(visible=False)

    @wraps(handler)
    def handle(*values: Any) -> Any:
        arguments, number = values[: -len(watched)], values[-len(watched)]
        result = list(handler(*arguments)) if len(outputs) + len(messages) > 1 else [handler(*arguments)]
        filled = [_as_sent(*pair) for pair in zip(outputs, result, strict=False)]
        sent = {"number": number, "values": filled}
        return (sent, *result[len(outputs) :]) if messages else sent

    _accept_more(handle)
    question = on(
        handle,
        [*inputs, *watched],
        [answer, *messages],
        js=SEND.replace("IDS", ids).replace("COUNT", str(len(inputs))),
        **{**RAW_QUICK, **options},
    )
    question.failure(js=FORGET.replace("IDS", ids), api_visibility="private")
    done = question.success(
        None,
        [answer, *watched],
        list(outputs),
        js=FILL.replace("IDS", ids).replace("UNCHANGED", json.dumps(fixed_id)),
        trigger_mode="multiple",
        api_visibility="private",
    )
    return Filling(question, done)


def _as_sent(component: Any, value: Any) -> Any:
    """A handler's value for a component, as Gradio sends it to the browser."""
    if isinstance(value, Component):
        value = {**value.constructor_args, "__type__": "update"}
    if isinstance(value, dict) and value.get("__type__") == "update":
        return {**value, "value": component.postprocess(value["value"])} if "value" in value else value
    return component.postprocess(value)


def _accept_more(function: Callable[..., Any]) -> None:
    """Let a function's signature take more values, which Gradio would otherwise warn about."""
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    if parameters and parameters[-1].kind is inspect.Parameter.VAR_POSITIONAL:
        return
    rest = inspect.Parameter("rest", inspect.Parameter.VAR_POSITIONAL)
    function.__signature__ = signature.replace(parameters=[*parameters, rest])  # type: ignore[attr-defined]
