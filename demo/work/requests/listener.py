"""Listeners of long work, which ends when nobody waits for its answer any more."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from demo.work.requests.checks import RequestError
from demo.work.requests.queue_messages import LEFT_QUEUE
from models.budget import letting_others_run


class Listener(Protocol):
    """The receiver of an answer. Any thread may ask it."""

    def is_absent(self) -> bool:
        """Whether the receiver closed the stream for the answer, or did not fetch it in time."""


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def heard_by(listener: Listener | None) -> Iterator[None]:
    """A context manager: the listener of work in the block, also in its threads; None: always wanted."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def dropped_without_listener() -> Iterator[None]:
    """End the work of the block at its next pause once its listener has left. Raises RequestError then."""
    heard = listener()

    def check() -> None:
        if heard is not None and heard.is_absent():
            raise RequestError(LEFT_QUEUE)

    with letting_others_run(check):
        yield


def listener() -> Listener | None:
    """The listener of the current work; None if unknown."""
    return _LISTENER.get()
