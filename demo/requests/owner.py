"""On whose behalf something is done: the turns at the processor are shared out over these."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Owner(NamedTuple):
    """A visitor, and the household or school that they share an address with."""

    name: str
    network: str


NOBODY = Owner("", "")
_OWNER: ContextVar[Owner] = ContextVar("owner", default=NOBODY)


@contextmanager
def owned_by(owner: str, network: str = "") -> Iterator[None]:
    """What the block begins, in threads of its own too, is done for that owner."""
    token = _OWNER.set(Owner(owner, network or owner))
    try:
        yield
    finally:
        _OWNER.reset(token)


def owner() -> str:
    """Who asked; "" if nobody in particular did."""
    return _OWNER.get().name


def network() -> str:
    """Where they asked from; whoever is alone there has the name of the owner."""
    return _OWNER.get().network
