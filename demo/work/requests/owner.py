"""Owners of work: turns at the processor are shared out over them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple


class Owner(NamedTuple):
    """A visitor, and the household or school that they share an address with."""

    name: str
    ip_group: str


NOBODY = Owner("", "")
_OWNER: ContextVar[Owner] = ContextVar("owner", default=NOBODY)


@contextmanager
def owned_by(owner: str, ip_group: str = "") -> Iterator[None]:
    """A context manager: the owner of work in the block, also in its threads."""
    token = _OWNER.set(Owner(owner, ip_group or owner))
    try:
        yield
    finally:
        _OWNER.reset(token)


def owner() -> str:
    """The owner of the current work; "" if there is none."""
    return _OWNER.get().name


def ip_group() -> str:
    """The IP group of the owner, or the owner's name if there is no address."""
    return _OWNER.get().ip_group
