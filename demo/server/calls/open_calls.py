"""Open calls in Gradio's queue: limited for each visitor, and for each address to its share.

A call is open from its POST request until its answer is fetched or dropped. A refusal costs almost nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from demo.i18n import say
from demo.work.operator.caps import MAX_CALLS, MAX_WAITING_PER_VISITOR
from demo.work.requests.caller import QUEUE_FULL, VISITOR_QUEUE_FULL, Owner


@dataclass(eq=False)
class OpenCall:
    """An open call."""

    owner: Owner
    session: str = ""
    name: str = ""  # the name in Gradio's queue; empty until the call is there, as the session


class OpenCalls:
    """The open calls of all owners."""

    def __init__(
        self,
        is_kept: Callable[[str, str], bool],
        of_one: int = MAX_WAITING_PER_VISITOR,
        of_all: int = MAX_CALLS,
    ) -> None:
        """`is_kept` tells whether the queue still has a call of a session, or its unfetched answer."""
        self._is_kept, self._of_one, self._of_all = is_kept, of_one, of_all
        self._posting: set[OpenCall] = set()
        self._entered: set[OpenCall] = set()

    def __len__(self) -> int:
        """The number of open calls."""
        self._entered = {item for item in self._entered if self._is_kept(item.session, item.name)}
        return len(self._posting | self._entered)

    def ip_group_of(self, session: str) -> str:
        """The IP group of a session's calls; "" if it has none."""
        return next((item.owner.ip_group for item in self._entered if item.session == session), "")

    def refusal(self, owner: Owner) -> str:
        """A sentence if there is no room for another call of an owner, else "". The name may be empty.

        In a full server, an address with less than its share still has room.
        """
        count, calls = len(self), [item.owner for item in self._posting | self._entered]
        if owner.name and sum(call.name == owner.name for call in calls) >= self._of_one:
            return say(VISITOR_QUEUE_FULL, places=self._of_one)
        if count >= self._of_all:
            ip_groups = Counter(call.ip_group for call in calls)
            if (ip_groups[owner.ip_group] + 1) * len(ip_groups.keys() | {owner.ip_group}) > self._of_all:
                return say(QUEUE_FULL, places=self._of_all)
        return ""

    @contextmanager
    def post(self, owner: Owner) -> Iterator[OpenCall]:
        """Count a call of the owner while the block puts it into the queue."""
        call = OpenCall(owner)
        self._posting.add(call)
        try:
            yield call
        finally:
            self._posting.discard(call)
            if call.name:
                self._entered.add(call)

    def set_owner(self, call: OpenCall, owner: Owner) -> str:
        """Set the owner of a call that is being posted; return the refusal, or "" if there is room."""
        self._posting.discard(call)
        refusal = self.refusal(owner)
        self._posting.add(call)
        call.owner = owner
        return refusal
