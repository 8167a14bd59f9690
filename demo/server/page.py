"""The page as it is served: refusals as sentences, rate limits, and the language of each request."""

from __future__ import annotations

import errno
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeAlias

import gradio as gr
from starlette.requests import Request

from demo.i18n import in_language, language, later, say, wanted_language
from demo.i18n.page_translations import PageI18n, labels, localize
from demo.server import gradio_compat
from demo.server.calls.begun_work import BegunWork, in_thread
from demo.server.calls.listeners import Listeners, StreamListener, UnreadAnswers
from demo.server.calls.open_calls import OpenCalls
from demo.server.events import is_decoding
from demo.server.gate.rates import CallKind, Rates, ip_group_of, visitor_address
from demo.server.gradio_queue import call_time, is_kept, limit_queue
from demo.work.errors import REFUSAL_TITLE, WAIT_TITLE, failure_text, safe_text
from demo.work.operator.caps import MAX_HANDLERS
from demo.work.requests.caller import LEFT_QUEUE, NOBODY, Owner, heard_by, owned_by
from models.environment import on_space

WRONG_COUNT = later("This call takes {count} values; got {given}.")
WAIT_A_SECOND = later("Too many requests at once. Wait a second, then try again.")
WAIT_SECONDS = later("Too many requests at once. Wait {seconds} seconds, then try again.")

OPEN_CALL = "open_call"  # key in the scope of a POST request, set by `CountedCalls`

Answer: TypeAlias = dict[str, Any]  # the answer to a small request of a page's script
ServerFunction: TypeAlias = Callable[..., Awaitable[Answer]]

logger = logging.getLogger("unrolled")


class Page(gr.Blocks):
    """Blocks that refuse unexpected input with a sentence, where Gradio prints a traceback.

    They also keep Gradio from fetching files from addresses, and from offering language models more than our
    tools.
    """

    i18n_instance: PageI18n | None = None  # None until `launch` sets it

    def __init__(self, rates: Rates, build_tools: Callable[[Page], object], **options: Any) -> None:
        """`build_tools` builds the tools for language models; `options` are those of `gr.Blocks`."""
        self.rates, self._build_tools = rates, build_tools
        self.listeners, self.begun_work = Listeners(), BegunWork()
        self.open_calls = OpenCalls(partial(is_kept, self))
        self._unread = UnreadAnswers(self, self.listeners.silence, self.open_calls.ip_group_of)
        super().__init__(**options)

    _localized: dict[str, dict[str, Any]]  # the config by language

    @property  # type: ignore[override]
    def config(self) -> dict[str, Any]:
        """Gradio's description of the page, in the language of the request."""
        if self.i18n_instance is None:
            return self._config
        code = language()
        if code not in self._localized:
            self._localized[code] = localize(self._config, self.i18n_instance.translations_dict, self.blocks)
        return self._localized[code]

    @config.setter
    def config(self, config: dict[str, Any]) -> None:
        description = gradio_compat.without_endpoints(gradio_compat.without_hidden_progress(config))
        self._config, self._localized = {**description, "i18n_translations": None}, {}
        if self.i18n_instance is not None:
            self.i18n_instance.labels = labels(config)

    def queue(self, *positional: Any, **settings: Any) -> Page:
        """Set the limits of the queue. Gradio calls this for every page; a second call builds a new server.

        Decodings wait in our own queue (`Turns`); `OpenCalls` limits the calls that this queue may hold.
        """
        settings = {"max_size": None, "default_concurrency_limit": MAX_HANDLERS, **settings}
        super().queue(*positional, **settings)
        limit_queue(self, self._no_room, self._note_entry)
        return self

    def _no_room(self, request: Request, session: str | None) -> str:
        call = request.scope.get(OPEN_CALL)
        return self.open_calls.set_owner(call, owner_of(request, session)) if call else ""

    def _note_entry(self, request: Request, session: str, name: str) -> None:
        self._unread.watch()
        self.listeners.watch()
        call = request.scope.get(OPEN_CALL)
        if call:
            call.session, call.name = session, name

    async def process_api(  # type: ignore[override]
        self,
        block_fn: gradio_compat.BlockFunction | int,
        inputs: list[Any],
        state: gradio_compat.SessionState | None = None,
        request: gr.Request | list[gr.Request] | None = None,
        iterator: Any = None,
        **more: Any,
    ) -> dict[str, Any]:
        """Run a handler in its caller's language, within the rate limits; a generator once for each value."""
        if isinstance(request, list):  # the call claims to be a batch, which no handler takes
            request = request[0]
        session = getattr(request, "session_hash", None)
        caller = self._caller(session, more.get("event_id"))
        with in_language(_language_of(request)), owned_by(*owner_of(request, session)), heard_by(caller):
            if iterator is None and request is not None:
                self._unread.keep_only()
                if caller is not None and caller.is_absent():
                    raise gr.Error(say(LEFT_QUEUE), print_exception=False)
                function = gradio_compat.function_of(self, block_fn)
                kind = CallKind.DECODING if is_decoding(function) else CallKind.SMALL
                message = self.refusal(kind, request, session)
                if message:
                    raise gr.Error(message, title=say(WAIT_TITLE), print_exception=False)
            return await super().process_api(block_fn, inputs, state, request, iterator, **more)

    def _caller(self, session: str | None, call: object) -> StreamListener | None:
        """The listener of a call whose answer comes by a stream."""
        called_at = call_time(self, call)
        return None if called_at is None or not session else self.listeners.listener_of(session, called_at)

    def refusal(self, kind: CallKind, request: gr.Request | Request, session: str | None) -> str:
        """A sentence if the call exceeds the rate limit; otherwise "", and the call is counted."""
        seconds = self.rates.wait(kind, *_owners(request, session))
        if seconds > 1:
            return say(WAIT_SECONDS, seconds=seconds)
        return say(WAIT_A_SECOND) if seconds else ""

    @property  # type: ignore[override]
    def mcp_server_obj(self) -> object:
        """The server of tools for language models, or None. Gradio sets it when it builds the app."""
        return self._tools

    @mcp_server_obj.setter
    def mcp_server_obj(self, server: object) -> None:
        self._tools = None if server is None else self._build_tools(self)

    def validate_inputs(self, block_fn: gradio_compat.BlockFunction, inputs: list[Any]) -> None:
        """Raise gr.Error for too few values, and for addresses in place of files."""
        if len(inputs) < len(block_fn.inputs):
            counts = {"count": len(block_fn.inputs), "given": len(inputs)}
            message = say(WRONG_COUNT, **counts)
            raise gr.Error(message, title=say(REFUSAL_TITLE), print_exception=False)
        gradio_compat.visit_addresses(inputs, _refuse_address)

    async def preprocess_data(self, *values: Any, **settings: Any) -> Any:
        """Preprocess the values. Raises gr.Error with a sentence for values that a widget cannot read."""
        try:
            return await super().preprocess_data(*values, **settings)
        except gr.Error as error:
            raise gr.Error(
                safe_text(str(error.message)), title=say(REFUSAL_TITLE), print_exception=False
            ) from None
        except (*gradio_compat.UNFIT_VALUES, OSError) as error:
            if isinstance(error, OSError) and error.errno != errno.ENAMETOOLONG:
                raise
            logger.info("refused: %s", type(error).__name__)
            message = say("The server does not know what the page sent. Reload the page, then try again.")
            raise gr.Error(message, title=say(REFUSAL_TITLE), print_exception=False) from None


async def answer_to(request: gr.Request, prepare: Callable[[str], Callable[[], Answer]]) -> Answer:
    """Answer a small request of a page's script, outside Gradio's queue.

    The function that `prepare` returns for the session runs in its own thread. A rate limit or an error gives
    an answer with a sentence as `refused`; unexpected errors are logged.
    """
    page, session = gradio_compat.page_of(request.scope), await gradio_compat.session_of(request)
    if not isinstance(page, Page) or not session:
        return {"refused": ""}
    if refusal := page.refusal(CallKind.SMALL, request, session):
        return {"refused": refusal}
    try:
        answer = prepare(session)
        with owned_by(*owner_of(request, session)):
            return await in_thread(answer)
    except Exception as error:
        return {"refused": failure_text(error, "a question of the page's script")}


def server_function(name: str, prepare: Callable[[object, str], Callable[[], Answer]]) -> ServerFunction:
    """A server function that a script calls by its name: `prepare` gets its data and the session."""

    # Gradio finds the request by its annotation.
    async def answer(data: object, request: gr.Request) -> Answer:
        return await answer_to(request, partial(prepare, data))

    answer.__name__ = name
    return answer


def _language_of(request: object) -> str:
    if not isinstance(request, gr.Request):
        return language()
    return wanted_language(str(request.query_params or ""), request.headers)


def _owners(request: gr.Request | Request, session: str | None) -> tuple[str | None, str | None]:
    """The session and address that a call counts for. Language models share one session, or have none."""
    shared = request.headers.get("x-gradio-user") == "mcp"
    return None if shared else session, _address(request)


def _address(request: gr.Request | Request) -> str | None:
    peer = request.client.host if request.client else None
    return visitor_address(peer, request.headers, on_space())


def owner_of(request: gr.Request | Request | None, session: str | None) -> Owner:
    """The owner of a call, for turns at the processor: a page's session, or a program's address.

    A program may open any number of sessions. Browsers send the page's origin, programs do not.
    """
    if request is None:
        return NOBODY
    address = _address(request)
    ip_group = f"address {ip_group_of(address)}" if address else ""
    return Owner(f"session {session}" if session and from_a_page(request) else ip_group, ip_group)


def from_a_page(request: gr.Request | Request) -> bool:
    """Whether the request names an origin, as browsers do; a program may do so, too."""
    return bool(request.headers.get("origin"))


def _refuse_address(address: str) -> None:
    message = say("Files cannot be fetched from addresses. Download the file yourself, then upload it.")
    raise gr.Error(message, title=say(REFUSAL_TITLE), print_exception=False)
