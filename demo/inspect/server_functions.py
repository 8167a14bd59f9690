"""Server functions through which the page's cards ask about the current step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from demo.inspect.inspection import explain, view_as_sent
from demo.inspect.program import search_program
from demo.inspect.requests import InspectRequest, WhyRequest
from demo.server.page import Answer, ServerFunction, server_function
from demo.work.context import AppContext
from demo.work.running import RunningDecodings
from demo.work.watch import Watch

Handler: TypeAlias = Callable[[AppContext, object, Watch], Answer]


def on_why(context: AppContext, data: object, watch: Watch | None = None) -> Answer:
    """The contribution of each token. Raises UnrolledError if it cannot be computed."""
    return explain(context, WhyRequest.parse(data), watch)


def on_inspect(context: AppContext, data: object, watch: Watch | None = None) -> Answer:
    """The content of a view of Inspect. Raises UnrolledError if there is none."""
    return view_as_sent(context, InspectRequest.parse(data), watch)


def inspection_functions(context: AppContext) -> list[ServerFunction]:
    """Server functions of a `TraceView`, which its cards call by name.

    A new request of a visitor cancels the previous one.
    """
    running = RunningDecodings()

    def begin(on: Handler, data: object, session: str) -> Callable[[], Answer]:
        watch = running.begin(session)

        def compute() -> Answer:
            try:
                return on(context, data, watch)
            finally:
                running.end(session, watch)

        return compute

    handlers = {"why": on_why, "inspect": on_inspect, "program": search_program}
    return [server_function(name, partial(begin, on)) for name, on in handlers.items()]
