"""The models that each visitor is adding now, which this visitor alone sees and can cancel."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from threading import Event, Lock

from demo.service.hub.additions import Addition
from models.hub.listing.model_files import RepositoryListing
from models.lru_cache import LruCache

MAX_VISITORS = 500  # the most visitors whose problems are in memory
MAX_PROBLEMS = 20  # sentences of one visitor


@dataclass(frozen=True)
class VisitorHub:
    """The additions and problems of one visitor, by repository."""

    adding: Mapping[str, Addition]
    problems: Mapping[str, str]  # why a model was not added
    # The repository typed last, or a sentence why it has no listing.
    listing: RepositoryListing | str | None


@dataclass
class _VisitorState:
    adding: dict[str, tuple[Addition, Event]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    listing: RepositoryListing | str | None = None


class HubVisitors:
    """The state of each visitor, by session. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._by_session: LruCache[str, _VisitorState] = LruCache(MAX_VISITORS)
        self._serials = count(time.time_ns() // 1000)  # larger than those of an earlier server

    def serial(self) -> int:
        """A number that grows with each state sent, since answers may overtake each other."""
        return next(self._serials)

    @contextmanager
    def wish(self, session: str, addition: Addition) -> Iterator[Event]:
        """Record an addition while the block runs; the event is set when the visitor cancels it."""
        cancelled = Event()
        with self._lock:
            state = self._of(session)
            state.problems.pop(addition.repo_id, None)
            state.adding[addition.repo_id] = addition, cancelled
        try:
            yield cancelled
        finally:
            with self._lock:
                if state.adding.get(addition.repo_id, (None,))[0] is addition:
                    del state.adding[addition.repo_id]

    def cancel(self, session: str, repo_id: str) -> None:
        """Cancel a visitor's addition, if there is one."""
        with self._lock:
            result = self._of(session).adding.get(repo_id)
        if result is not None:
            result[1].set()

    def note(self, session: str, repo_id: str, problem: str) -> None:
        """Record why a model was not added; "" removes the record."""
        with self._lock:
            problems = self._of(session).problems
            problems.pop(repo_id, None)
            if problem:
                problems[repo_id] = problem
            while len(problems) > MAX_PROBLEMS:
                del problems[next(iter(problems))]

    def set_listing(self, session: str, result: RepositoryListing | str | None) -> None:
        """Record the repository that a visitor has looked up last."""
        with self._lock:
            self._of(session).listing = result

    def visitor(self, session: str) -> VisitorHub:
        """A copy of the state of a visitor."""
        with self._lock:
            state = self._of(session)
            adding = {name: item for name, (item, _) in state.adding.items()}
            return VisitorHub(adding, dict(state.problems), state.listing)

    def _of(self, session: str) -> _VisitorState:
        return self._by_session.get_or_make(session, _VisitorState)
