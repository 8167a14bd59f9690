"""The page as a link wants it: read when the page loads, checked, filled into a tab, and run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.errors import guarded
from demo.links import Link
from demo.service.context import AppContext
from demo.views.link_notice.component import LinkNotice

OPEN = "(answer) => { unrolled.open(answer); }"
QUICK: dict[str, Any] = {
    "preprocess": False,
    "queue": False,
    "show_progress": "hidden",
    "api_visibility": "private",
}
Items = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Answer:
    """What a tab does with a link."""

    values: Sequence[Any]  # of the target's outputs
    run: bool = False  # press the button that decodes or compares
    view: dict[str, Any] = field(default_factory=dict)  # how to look at the result
    mode: str = ""  # of a comparison


@dataclass(frozen=True)
class Target:
    """A tab that a link may open; `answer` has None for a page that opens without a link to this tab."""

    tab: str
    outputs: Sequence[Component]
    answer: Callable[[Link | None], Answer]


def on_visit(context: AppContext, targets: Sequence[Target], items: Items) -> tuple[Any, ...]:
    """The outputs of the first target, and what the page's script is told."""
    first = targets[0]
    link = Link.of(items, [target.tab for target in targets])
    target = next(target for target in targets if target.tab == link.tab)
    told = {"tab": link.tab, "names": list(context.registry.names())}
    if target is not first and target.outputs:  # asks again, once the tab is there
        return *first.answer(None).values, {**told, "fill": True, "faults": []}
    named = bool(link.values) or target is not first
    answer = target.answer(link if named else None)
    values = answer.values if target is first else first.answer(None).values
    return *values, {**told, **_told(link, answer)}


def on_fill(context: AppContext, targets: Sequence[Target], target: Target, items: Items) -> tuple[Any, ...]:
    """The outputs of one target, whose tab has been opened, and what the page's script is told."""
    link = Link.of(items, [target.tab for target in targets])
    answer = target.answer(link if link.tab == target.tab else None)
    told = {"tab": target.tab, "names": list(context.registry.names())}
    return *answer.values, {**told, **_told(link, answer)}


def _told(link: Link, answer: Answer) -> dict[str, Any]:
    return {"run": answer.run, "view": answer.view or None, "mode": answer.mode, "faults": link.told()}


def wire_links(context: AppContext, page: gr.Blocks, targets: Sequence[Target], notice: LinkNotice) -> None:
    """Open the page's link when it loads, the first tab at once."""
    opened = [_filled(page.load, guarded(on_visit, context, targets), [*targets[0].outputs, notice])]
    for target in targets[1:]:
        if target.outputs:
            # Not at once: Gradio loses the properties of components that it is sent before they are drawn.
            fill = guarded(on_fill, context, targets, target)
            opened.append(_filled(notice.fill, fill, [*target.outputs, notice]))
    for event in opened:
        event.success(None, notice, None, js=OPEN, api_visibility="private")


def _filled(on: Callable[..., Any], handler: Callable[..., Any], outputs: Sequence[Component]) -> Any:
    # A function of its own: Gradio finds the request by its annotation.
    def arrive(request: gr.Request) -> Any:
        return handler(request.query_params.multi_items())

    return on(arrive, None, list(outputs), **QUICK)
