"""Gradio's queue of calls, and what it keeps of them: beyond its public interface, as gradio_compat.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import gradio as gr
from gradio.server_messages import ProcessCompletedMessage, UnexpectedErrorMessage
from starlette.exceptions import HTTPException
from starlette.requests import Request


def tame_queue(
    page: gr.Blocks,
    refusal: Callable[[Request, str | None], str],
    entered: Callable[[Request, str, str], None],
) -> None:
    """Let the queue look for calls every 10 ms, and ask `refusal` whether it may take one.

    At each millisecond, as Gradio has it, it keeps a tenth of an idle core busy. `refusal` is given the
    session that a call names, `entered` the session and the name that the queue gave it; no other call comes
    between the two.
    """
    queue = page._queue
    push = queue.push
    queue.sleep_when_free = 0.01

    async def told(body: Any, request: Request, username: str | None) -> Any:
        if refused := refusal(request, body.session_hash):
            raise HTTPException(HTTPStatus.TOO_MANY_REQUESTS, refused)
        success, event, state = await push(body, request, username)
        if success:
            entered(request, body.session_hash, str(event))
        return success, event, state

    queue.push = told  # type: ignore[method-assign]


def knows_session(page: gr.Blocks, session: str) -> bool:
    """Whether somebody called something in it and has not left."""
    return session in page._queue.pending_messages_per_session


def session_of_call(page: gr.Blocks, call: str) -> str:
    """The session whose stream brings the answer of a call by program; "" if none is to be fetched."""
    queue = page._queue
    event = queue.event_ids_to_events.get(call)
    if event is not None and event.data is not None and not event.data.simple_format:
        return ""  # the page's own, whose answers all go into one stream
    listened = queue.pending_messages_per_session
    sessions = (session for session, calls in queue.pending_event_ids_session.items() if call in calls)
    return next((session for session in sessions if session in listened), "")


def asked_at(page: gr.Blocks, call: object) -> float | None:
    """When a call came into the queue, by the monotonic clock; None if it did not come that way."""
    event = page._queue.event_ids_to_events.get(call) if isinstance(call, str) else None
    return None if event is None else event.enqueue_time


def is_kept(page: gr.Blocks, session: str, call: str) -> bool:
    """Whether a call waits, runs, or has an answer that nobody has fetched."""
    queue = page._queue
    return call in queue.event_ids_to_events or call in queue.pending_event_ids_session.get(session, ())


def no_session() -> str:
    """The message, as JSON, for whoever waits for a session that is gone."""
    told = UnexpectedErrorMessage(message="There is no such session.", session_not_found=True)
    return told.model_dump_json()


@dataclass(frozen=True)
class Answers:
    """The calls of one session that are over."""

    session: str
    calls: frozenset[str]  # their names
    is_idle: bool  # no other call of the session waits or runs
    results: int  # that wait to be fetched; what says that a call failed is small, and none


def answers_of(page: gr.Blocks) -> list[Answers]:
    """Of every session of which Gradio keeps anything, the oldest first."""
    queue = page._queue
    names, messages = queue.pending_event_ids_session, queue.pending_messages_per_session
    kept = []
    for session in {**names, **messages}:
        calls = names.get(session, set())
        over = frozenset(call for call in calls if call not in queue.event_ids_to_events)
        waiting = messages[session]._queue if session in messages else ()  # type: ignore[attr-defined]
        results = sum(isinstance(item, ProcessCompletedMessage) and item.success for item in waiting)
        kept.append(Answers(session, over, len(over) == len(calls), results))
    return kept


def forget(page: gr.Blocks, answers: Answers) -> None:
    """Let go of the answers of a session, fetched or not; of an idle one, of all that the queue keeps."""
    queue = page._queue
    if answers.is_idle:
        queue.pending_event_ids_session.pop(answers.session, None)
        queue.pending_messages_per_session.pop(answers.session, None)
        return
    queue.pending_event_ids_session[answers.session] -= answers.calls
    messages = queue.pending_messages_per_session.get(answers.session)
    while messages is not None and messages.qsize():
        messages.get_nowait()
