"""Opens links: reads the address when the page loads, checks it, fills a tab in, and starts the decoding.

An address that is too long for Gradio, which would answer with an error page, is cut before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import gradio as gr
from gradio.components import Component
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from demo.links import Link
from demo.links.notice.component import LinkNotice
from demo.links.parameters import TOO_LONG
from demo.server.events import Filling, fill_in
from demo.server.gradio_compat import event_data
from demo.work.context import AppContext
from demo.work.errors import guard

OPEN_LINK = "(answer) => { unrolled.open(answer); }"
ON_FAILURE = "() => { unrolled.open(null); }"
MAX_QUERY_BYTES = 32_000  # Gradio fails at 65,536; a link that is read, all its characters encoded, fits
MAX_PARAMETERS, MAX_PARAMETER_BYTES = 20, 200  # limits of the address that the visitor is sent to
Items = Sequence[tuple[str, str]]
# Takes the parameters of an address. Returns its lesson, if it names one; the parameters that the lesson's
# step stands for; and the faults.
Course = Callable[[Items], "tuple[dict[str, Any] | None, Items, list[str]]"]


@dataclass(frozen=True)
class LinkAnswer:
    """A tab's response to a link."""

    values: Sequence[Any]  # values of the target's outputs
    run: bool = False  # press the button that decodes or compares
    view: dict[str, Any] = field(default_factory=dict)  # how to show the result
    mode: str = ""  # the mode of a comparison


@dataclass(frozen=True)
class LinkTarget:
    """A tab that a link may open. The first tab answers an empty link with an example."""

    tab: str
    outputs: Sequence[Component]
    answer: Callable[[Link], LinkAnswer]
    checkpoint: Component | None = None  # if the reader chooses another one meanwhile, the form stays

    @property
    def unchanged(self) -> list[Any]:
        """The outputs if the link opens another tab."""
        return [gr.skip()] * len(self.outputs)


@dataclass(frozen=True)
class Visits:
    """The tabs and the course, to open the link of a visit or the step of a lesson."""

    context: AppContext
    targets: Sequence[LinkTarget]  # the first one is that of the current tab
    course: Course

    def link(self, items: Items) -> tuple[Link, dict[str, Any]]:
        """Read an address; return the link and the first message for the page's script."""
        lesson, parameters, faults = self.course(items)
        link = Link.parse(parameters, [target.tab for target in self.targets])
        for sentence in faults:
            link.fault(sentence)
        titles = {name: self.context.title(name) for name in self.context.registry.names()}
        message: dict[str, Any] = {"tab": link.tab, "titles": titles}
        if lesson is not None:
            link.whole = True
            message["lesson"] = lesson
        return link, message


def on_visit(visits: Visits, items: Items, *, again: bool = False) -> tuple[Any, ...]:
    """Return the outputs of the first target, and the message for the page's script.

    `again`: the page is open already, and values that the link does not name stay.
    """
    first = visits.targets[0]
    link, message = visits.link(items)
    target = next(target for target in visits.targets if target.tab == link.tab)
    if target is first:
        answer = first.answer(link)
        return *answer.values, {**message, **_message(link, answer)}
    unchanged = first.unchanged if again else first.answer(Link({})).values
    if target.outputs:  # the script asks again when the tab is there
        return *unchanged, {**message, "fill": True, "faults": []}
    return *unchanged, {**message, **_message(link, target.answer(link))}


def on_visit_again(visits: Visits, items: Items) -> tuple[Any, ...]:
    """Call `on_visit` for a page that is open."""
    return on_visit(visits, items, again=True)


def on_fill(visits: Visits, items: Items) -> tuple[Any, ...]:
    """Return the outputs of all targets but the first, one of which has been opened, and the message."""
    link, message = visits.link(items)
    answer = LinkAnswer([])
    values: list[Any] = []
    for target in visits.targets[1:]:
        if target.tab == link.tab:
            answer = target.answer(link)
        values += answer.values if target.tab == link.tab else target.unchanged
    return *values, {**message, **_message(link, answer)}


def _message(link: Link, answer: LinkAnswer) -> dict[str, Any]:
    return {
        "run": answer.run,
        "view": answer.view or None,
        "mode": answer.mode,
        "faults": link.first_faults(),
    }


def wire_links(page: gr.Blocks, visits: Visits, notice: LinkNotice) -> None:
    """Open the page's link when it loads, and later whatever links the page's script asks for."""
    first, *others = visits.targets
    outputs = [widget for target in others for widget in target.outputs]
    checkpoint = next((target.checkpoint for target in others if target.checkpoint), None)
    open_again, fill = guard(on_visit_again, visits), guard(on_fill, visits)
    events = [
        _fill_form(page.load, guard(on_visit, visits), first.outputs, first.checkpoint, notice),
        _fill_form(notice.visit, open_again, first.outputs, first.checkpoint, notice),
        # A later event: Gradio loses properties that it receives before their components are drawn.
        _fill_form(notice.fill, fill, outputs, checkpoint, notice),
    ]
    for event in events:
        options: dict[str, Any] = {"trigger_mode": "multiple", "api_visibility": "private"}
        event.done.success(None, notice, None, js=OPEN_LINK, **options)
        event.answered.failure(None, None, None, js=ON_FAILURE, **options)


def _fill_form(
    on: Callable[..., Any],
    handler: Callable[..., Any],
    outputs: Sequence[Component],
    checkpoint: Component | None,
    notice: LinkNotice,
) -> Filling:
    def arrive(request: gr.Request, event: gr.EventData) -> Any:
        parameters = event_data(event)
        pairs = parameters.items() if isinstance(parameters, Mapping) else ()
        items = [(str(name), str(value)) for name, value in pairs]
        return handler(items or request.query_params.multi_items())

    # By default Gradio drops an event during another, such as Next before a lesson's step has opened.
    options: dict[str, Any] = {
        "must_be_unchanged": checkpoint,
        "messages": [notice],
        "trigger_mode": "multiple",
    }
    return fill_in(on, arrive, [], outputs, **options)


class ShortAddress:
    """Redirects a request with too long an address to the same address without its long parameters."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        query: bytes = scope.get("query_string", b"")
        if len(query) <= MAX_QUERY_BYTES or scope.get("method") not in {"GET", "HEAD"}:
            await self._app(scope, receive, send)
            return
        note = f"{TOO_LONG}={len(query)}".encode()
        short = [part for part in query.split(b"&") if len(part) <= MAX_PARAMETER_BYTES][:MAX_PARAMETERS]
        # The redirect is relative, since a proxy may serve the page under another address.
        elsewhere = "?" + b"&".join([note, *short]).decode("ascii", "ignore")
        await RedirectResponse(elsewhere, 303)(scope, receive, send)
