"""The caller of work: who owns it, who waits for its answer, and what a caller without a place is told.

Turns at the processor are shared out over owners. Long work ends when nobody waits for its answer any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import NamedTuple, Protocol, TypeVar

from demo.i18n import later
from demo.work.requests.checks import RequestError
from models.budget import letting_others_run
from models.errors import Message

QUEUE_FULL = later(
    "The server is busy: all {places} places in the queue are taken. Nothing is lost; try again in a minute."
)
VISITOR_QUEUE_FULL = later(
    "{places} of your requests are in the queue already, the most for one visitor. Nothing is "
    "lost; try again when one of them is done."
)
LEFT_QUEUE = Message("left_the_line", "Stopped before its turn came; the result below is the previous one.")

Value = TypeVar("Value")


class Owner(NamedTuple):
    """A visitor, and the household or school that they share an address with."""

    name: str
    ip_group: str


class Listener(Protocol):
    """The receiver of an answer. Any thread may ask it."""

    def is_absent(self) -> bool:
        """Whether the receiver closed the stream for the answer, or did not fetch it in time."""


NOBODY = Owner("", "")
_OWNER: ContextVar[Owner] = ContextVar("owner", default=NOBODY)
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def _with(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def owned_by(owner: str, ip_group: str = "") -> AbstractContextManager[None]:
    """A context manager: the owner of work in the block, also in its threads."""
    return _with(_OWNER, Owner(owner, ip_group or owner))


def heard_by(listener: Listener | None) -> AbstractContextManager[None]:
    """A context manager: the listener of work in the block, also in its threads; None: always wanted."""
    return _with(_LISTENER, listener)


def owner() -> str:
    """The owner of the current work; "" if there is none."""
    return _OWNER.get().name


def ip_group() -> str:
    """The IP group of the owner, or the owner's name if there is no address."""
    return _OWNER.get().ip_group


def listener() -> Listener | None:
    """The listener of the current work; None if unknown."""
    return _LISTENER.get()


@contextmanager
def dropped_without_listener() -> Iterator[None]:
    """End the work of the block at its next pause once its listener has left. Raises RequestError then."""
    heard = listener()

    def check() -> None:
        if heard is not None and heard.is_absent():
            raise RequestError(LEFT_QUEUE)

    with letting_others_run(check):
        yield
