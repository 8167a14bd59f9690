"""On whose behalf something is done: the turns at the processor are shared out over these."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_OWNER: ContextVar[str] = ContextVar("owner", default="")


@contextmanager
def owned_by(owner: str) -> Iterator[None]:
    """What the block begins, in threads of its own too, is done for that owner."""
    token = _OWNER.set(owner)
    try:
        yield
    finally:
        _OWNER.reset(token)


def owner() -> str:
    """Who asked; "" if nobody in particular did."""
    return _OWNER.get()
