"""Gradio's queue of calls and its data, beyond Gradio's public interface; see gradio_compat.py, too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import gradio as gr
from gradio.server_messages import ProcessCompletedMessage, UnexpectedErrorMessage
from starlette.exceptions import HTTPException
from starlette.requests import Request


def limit_queue(
    page: gr.Blocks,
    refusal: Callable[[Request, str | None], str],
    entered: Callable[[Request, str, str], None],
) -> None:
    """Let the queue check for calls every 10 ms, and only accept those without a `refusal`.

    Gradio checks every millisecond, which takes a tenth of an idle core. `refusal` gets the session that a
    call names; `entered` gets the session and the name of an accepted call. No other call comes in between.
    """
    queue = page._queue
    push = queue.push
    queue.sleep_when_free = 0.01

    async def checked_push(body: Any, request: Request, username: str | None) -> Any:
        if refused := refusal(request, body.session_hash):
            raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS, refused)
        success, event, state = await push(body, request, username)
        if success:
            entered(request, body.session_hash, str(event))
        return success, event, state

    queue.push = checked_push  # type: ignore[method-assign]


def knows_session(page: gr.Blocks, session: str) -> bool:
    """Whether the session has made a call and has not left."""
    return session in page._queue.pending_messages_per_session


def session_of_call(page: gr.Blocks, call: str) -> str:
    """The session whose stream brings the answer of a call by program; "" if none is to be fetched."""
    queue = page._queue
    event = queue.event_ids_to_events.get(call)
    if event is not None and event.data is not None and not event.data.simple_format:
        return ""  # a call of the page, whose answers all go into one stream
    listened = queue.pending_messages_per_session
    sessions = (session for session, calls in queue.pending_event_ids_session.items() if call in calls)
    return next((session for session in sessions if session in listened), "")


def call_time(page: gr.Blocks, call: object) -> float | None:
    """The time when a call entered the queue, by the monotonic clock; None if it did not enter it."""
    event = page._queue.event_ids_to_events.get(call) if isinstance(call, str) else None
    return None if event is None else event.enqueue_time


def is_kept(page: gr.Blocks, session: str, call: str) -> bool:
    """Whether a call waits, runs, or has an unfetched answer."""
    queue = page._queue
    return call in queue.event_ids_to_events or call in queue.pending_event_ids_session.get(session, ())


def no_session() -> str:
    """The message, as JSON, for a listener to a lost session."""
    message = UnexpectedErrorMessage(message="There is no such session.", session_not_found=True)
    return message.model_dump_json()


@dataclass(frozen=True)
class Answers:
    """The finished calls of a session."""

    session: str
    calls: frozenset[str]  # their names
    is_idle: bool  # no other call of the session waits or runs
    results: int  # the number of unfetched results; a report of a failure is small and does not count


def answers_of(page: gr.Blocks) -> list[Answers]:
    """The answers of every session that Gradio stores, the oldest first."""
    queue = page._queue
    names, messages = queue.pending_event_ids_session, queue.pending_messages_per_session
    result = []
    for session in {**names, **messages}:
        calls = names.get(session, set())
        over = frozenset(call for call in calls if call not in queue.event_ids_to_events)
        waiting = messages[session]._queue if session in messages else ()  # type: ignore[attr-defined]
        results = sum(isinstance(item, ProcessCompletedMessage) and item.success for item in waiting)
        result.append(Answers(session, over, len(over) == len(calls), results))
    return result


def forget(page: gr.Blocks, answers: Answers) -> None:
    """Drop the answers of a session; for an idle one, all its data in the queue."""
    queue = page._queue
    if answers.is_idle:
        queue.pending_event_ids_session.pop(answers.session, None)
        queue.pending_messages_per_session.pop(answers.session, None)
        return
    queue.pending_event_ids_session[answers.session] -= answers.calls
    messages = queue.pending_messages_per_session.get(answers.session)
    while messages is not None and messages.qsize():
        messages.get_nowait()
