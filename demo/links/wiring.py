"""The page as a link wants it: read when the page loads, checked, filled into a tab, and run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import gradio as gr
from gradio.components import Component

from demo.errors import guarded
from demo.links import Link
from demo.server.gradio_compat import event_data
from demo.service.context import AppContext
from demo.views.link_notice.component import LinkNotice

OPEN = "(answer) => { unrolled.open(answer); }"
FAILED = "() => { unrolled.open(null); }"
QUICK: dict[str, Any] = {
    "preprocess": False,
    "queue": False,
    "show_progress": "hidden",
    "api_visibility": "private",
}
Items = Sequence[tuple[str, str]]
# What an address asks for as the page understands it: its lesson, if it names one, what that opens, and what
# is wrong with it.
Course = Callable[[Items], "tuple[dict[str, Any] | None, Items, list[str]]"]


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


@dataclass(frozen=True)
class Visits:
    """What answers those who come by a link, or open a step of a lesson."""

    context: AppContext
    targets: Sequence[Target]  # the first one is that of the tab on show
    course: Course

    def link(self, items: Items) -> tuple[Link, dict[str, Any]]:
        """What an address asks for, and what the page's script is told of that at once."""
        lesson, asked, faults = self.course(items)
        link = Link.of(asked, [target.tab for target in self.targets])
        for sentence in faults:
            link.fault(sentence)
        told: dict[str, Any] = {"tab": link.tab, "names": list(self.context.registry.names())}
        if lesson is not None:
            link.whole = True
            told["lesson"] = lesson
        return link, told


def on_visit(visits: Visits, items: Items, *, again: bool = False) -> tuple[Any, ...]:
    """The outputs of the first target, and what the page's script is told.

    `again`: the page is open already, and what the link does not name stays as it is.
    """
    first = visits.targets[0]
    link, told = visits.link(items)
    target = next(target for target in visits.targets if target.tab == link.tab)
    left = [gr.skip()] * len(first.outputs) if again else first.answer(None).values
    if target is not first and target.outputs:  # asks again, once the tab is there
        return *left, {**told, "fill": True, "faults": []}
    named = bool(link.values) or target is not first
    answer = target.answer(link if named else None)
    return *(answer.values if target is first else left), {**told, **_told(link, answer)}


def on_visit_again(visits: Visits, items: Items) -> tuple[Any, ...]:
    """As `on_visit`, for a page that is open."""
    return on_visit(visits, items, again=True)


def on_fill(visits: Visits, target: Target, items: Items) -> tuple[Any, ...]:
    """The outputs of one target, whose tab has been opened, and what the page's script is told."""
    link, told = visits.link(items)
    answer = target.answer(link if link.tab == target.tab else None)
    return *answer.values, {**told, "tab": target.tab, **_told(link, answer)}


def _told(link: Link, answer: Answer) -> dict[str, Any]:
    return {"run": answer.run, "view": answer.view or None, "mode": answer.mode, "faults": link.told()}


def wire_links(page: gr.Blocks, visits: Visits, notice: LinkNotice) -> None:
    """Open the page's link when it loads, the first tab at once; and whatever the page's script asks for."""
    first, *others = visits.targets
    again = guarded(on_visit_again, visits)
    opened = [
        _filled(page.load, guarded(on_visit, visits), [*first.outputs, notice]),
        _filled(notice.visit, again, [*first.outputs, notice]),
    ]
    for target in others:
        if target.outputs:
            # Not at once: Gradio loses the properties of components that it is sent before they are drawn.
            opened.append(_filled(notice.fill, guarded(on_fill, visits, target), [*target.outputs, notice]))
    for event in opened:
        told: dict[str, Any] = {"trigger_mode": "multiple", "api_visibility": "private"}
        event.success(None, notice, None, js=OPEN, **told)
        event.failure(None, None, None, js=FAILED, **told)


def _filled(on: Callable[..., Any], handler: Callable[..., Any], outputs: Sequence[Component]) -> Any:
    # A function of its own: Gradio finds the request and the event by their annotations.
    def arrive(request: gr.Request, event: gr.EventData) -> Any:
        asked = event_data(event)
        named = asked.items() if isinstance(asked, Mapping) else ()
        items = [(str(name), str(value)) for name, value in named]
        return handler(items or request.query_params.multi_items())

    # Who presses Next before a lesson's step has opened means the next one: by default Gradio would drop it.
    return on(arrive, None, list(outputs), trigger_mode="multiple", **QUICK)
