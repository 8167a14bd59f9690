"""Calls through Gradio's queue that are open: few of one visitor, and of one address no more than its share.

A call is open from its post until its answer is fetched or let go of. To refuse one costs next to nothing:
nothing is made of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from demo.i18n import say
from demo.operator.caps import MAX_CALLS, MAX_WAITING_OF_ONE
from demo.requests.full import FULL, YOURS_FULL
from demo.requests.owner import Owner


@dataclass(eq=False)
class OpenCall:
    """One call, from its post on."""

    owner: Owner
    session: str = ""
    name: str = ""  # in Gradio's queue, as the session; empty until it is there


class OpenCalls:
    """Who has how many calls open. The queue says which it still has."""

    def __init__(
        self,
        is_kept: Callable[[str, str], bool],
        of_one: int = MAX_WAITING_OF_ONE,
        of_all: int = MAX_CALLS,
    ) -> None:
        """`is_kept` says whether the queue has a call of a session, or an answer that nobody fetched."""
        self._is_kept, self._of_one, self._of_all = is_kept, of_one, of_all
        self._posting: set[OpenCall] = set()
        self._entered: set[OpenCall] = set()

    def __len__(self) -> int:
        """How many are open."""
        self._entered = {item for item in self._entered if self._is_kept(item.session, item.name)}
        return len(self._posting | self._entered)

    def network_of(self, session: str) -> str:
        """Where the calls of a session come from; "" of one that has none."""
        return next((item.owner.network for item in self._entered if item.session == session), "")

    def refusal(self, owner: Owner) -> str:
        """Why there is no room for one more call, else "". An owner without a name is not known yet.

        In a full house an address finds room that has less than its share.
        """
        count, calls = len(self), [item.owner for item in self._posting | self._entered]
        if owner.name and sum(call.name == owner.name for call in calls) >= self._of_one:
            return say(YOURS_FULL, places=self._of_one)
        if count >= self._of_all:
            networks = Counter(call.network for call in calls)
            if (networks[owner.network] + 1) * len(networks.keys() | {owner.network}) > self._of_all:
                return say(FULL, places=self._of_all)
        return ""

    @contextmanager
    def posted(self, owner: Owner) -> Iterator[OpenCall]:
        """While the block runs, a call of that owner is on its way into the queue."""
        call = OpenCall(owner)
        self._posting.add(call)
        try:
            yield call
        finally:
            self._posting.discard(call)
            if call.name:
                self._entered.add(call)

    def named(self, call: OpenCall, owner: Owner) -> str:
        """Note whose call is being posted, now that it is known. Why there is no room for it, else ""."""
        self._posting.discard(call)
        refusal = self.refusal(owner)
        self._posting.add(call)
        call.owner = owner
        return refusal
