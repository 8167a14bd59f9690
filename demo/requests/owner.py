"""Owners of work: turns at the processor are shared out over them."""

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
    """A context: work in the block, also in its threads, is for that owner."""
    token = _OWNER.set(Owner(owner, network or owner))
    try:
        yield
    finally:
        _OWNER.reset(token)


def owner() -> str:
    """The owner of the current work; "" if there is none."""
    return _OWNER.get().name


def network() -> str:
    """The network of the owner; the owner's own name where it is alone there."""
    return _OWNER.get().network
