"""What each visitor is adding now, so that their page can tell it, and they alone can cancel it."""

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

MOST_VISITORS = 500  # remembered for what went wrong
MOST_PROBLEMS = 20  # sentences of one visitor


@dataclass(frozen=True)
class Mine:
    """Of one visitor, by repository."""

    adding: Mapping[str, Addition]
    problems: Mapping[str, str]  # why one was not added
    looked: RepositoryListing | str | None  # what the field found; a sentence says why it did not


@dataclass
class _Wishes:
    adding: dict[str, tuple[Addition, Event]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    looked: RepositoryListing | str | None = None


class AllWishes:
    """By session; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._by_session: LruCache[str, _Wishes] = LruCache(MOST_VISITORS)
        self._serials = count(time.time_ns() // 1000)  # later than those of a server before this one

    def serial(self) -> int:
        """Later for every state that is told, since answers may overtake each other."""
        return next(self._serials)

    @contextmanager
    def wish(self, session: str, addition: Addition) -> Iterator[Event]:
        """Note what a visitor adds while the block runs; the event is set when they cancel it."""
        cancelled = Event()
        with self._lock:
            wishes = self._of(session)
            wishes.problems.pop(addition.repo_id, None)
            wishes.adding[addition.repo_id] = addition, cancelled
        try:
            yield cancelled
        finally:
            with self._lock:
                if wishes.adding.get(addition.repo_id, (None,))[0] is addition:
                    del wishes.adding[addition.repo_id]

    def cancel(self, session: str, repo_id: str) -> None:
        """Ask a visitor's addition, if there is one, to end."""
        with self._lock:
            result = self._of(session).adding.get(repo_id)
        if result is not None:
            result[1].set()

    def note(self, session: str, repo_id: str, problem: str) -> None:
        """Say at the model why it was not added; "" says nothing any more."""
        with self._lock:
            problems = self._of(session).problems
            problems.pop(repo_id, None)
            if problem:
                problems[repo_id] = problem
            while len(problems) > MOST_PROBLEMS:
                del problems[next(iter(problems))]

    def look(self, session: str, found: RepositoryListing | str | None) -> None:
        """Keep what a visitor has looked up last."""
        with self._lock:
            self._of(session).looked = found

    def of(self, session: str) -> Mine:
        """A copy of what there is to tell."""
        with self._lock:
            wishes = self._of(session)
            adding = {name: item for name, (item, _) in wishes.adding.items()}
            return Mine(adding, dict(wishes.problems), wishes.looked)

    def _of(self, session: str) -> _Wishes:
        return self._by_session.get_or_make(session, _Wishes)
