"""The Hub as the page shows it: models on this server, being added, and worth adding.

Visitors who add the same model share its download, which is a job.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from math import inf
from pathlib import Path

from demo.i18n import later, message_text
from demo.work.errors import failure_message, sentence
from demo.work.jobs import Job, JobLimits, Jobs, JobStage
from demo.work.operator.caps import HUB
from demo.work.requests.checks import RequestError
from models.errors import Message
from models.hub.download.fetch import DownloadProgress
from models.hub.errors import HubCancelledError, HubError
from models.hub.listing.curated import CURATED_MODELS, CuratedModel
from models.hub.listing.model_files import RepositoryListing
from models.hub.settings import HubSettings
from models.hub.storage.store import HubStore, Source
from models.lru_cache import LruCache

FETCHES_NOTHING = Message(
    "hub_not_fetched", "This server fetches nothing from the Hub. Choose one of its own checkpoints."
)
SENDS_NOTHING = Message(
    "hub_not_sent_to", "This server sends nothing to the Hub. Download the folder and push it yourself."
)
MAX_VISITORS = 500  # the most visitors whose problems are in memory
MAX_PROBLEMS = 20  # sentences of one visitor
FULL = later("{count} models are in the queue already. Try again in a minute.")
ADDITION_LIMITS = JobLimits(
    running=HUB.running,
    waiting=HUB.running,
    seconds=inf,  # a download has a time limit of its own, see `fetch`
    absent_seconds=60.0,
    kept_seconds=60.0,
    max_kept=40,
    kept_bytes=0,
)

logger = logging.getLogger("unrolled")

Key = tuple[str, str]  # the name of a repository, and a revision


@dataclass
class HubVisitor:
    """The notes about one visitor, who alone sees them."""

    # Both by repository: downloads that the visitor has not left, and why a model was not added.
    adding: dict[str, Key] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    # The repository typed last, or a sentence why it has no listing.
    listing: RepositoryListing | str | None = None

    def note(self, repo_id: str, problem: str) -> None:
        """Record why a model was not added; "" removes the record."""
        self.problems.pop(repo_id, None)
        if problem:
            self.problems[repo_id] = problem
        while len(self.problems) > MAX_PROBLEMS:
            del self.problems[next(iter(self.problems))]


class Additions:
    """The downloads of this process; the store itself waits for those of other processes."""

    def __init__(self, store: HubStore) -> None:
        self._store = store
        self._jobs = Jobs[Key, None]("an addition", self._add, ADDITION_LIMITS, FULL)
        self._visitors: LruCache[str, HubVisitor] = LruCache(MAX_VISITORS)

    def visitor(self, session: str) -> HubVisitor:
        """The notes about a visitor."""
        return self._visitors.get_or_make(session, HubVisitor)

    def begin(self, session: str, repo_id: str, revision: str) -> None:
        """Begin or join a download. Raises RequestError if too many wait."""
        key = repo_id, revision
        self._jobs.begin(key, None, _owner(session, repo_id), reuse=False)
        visitor = self.visitor(session)
        visitor.note(repo_id, "")
        visitor.adding[repo_id] = key

    def progress(self, session: str) -> dict[str, DownloadProgress]:
        """The progress of each model that a visitor is adding now, by repository."""
        keys = dict(self.visitor(session).adding)
        jobs = {repo_id: job for repo_id, key in keys.items() if (job := self._jobs.find(key)) is not None}
        return {
            repo_id: job.result or DownloadProgress("waiting")
            for repo_id, job in jobs.items()
            if job.is_under_way()
        }

    def leave(self, session: str, repo_id: str) -> None:
        """Take a visitor off a download, which is cancelled when it has no other, and note why it failed."""
        visitor = self.visitor(session)
        key = visitor.adding.pop(repo_id, None)
        job = None if key is None else self._jobs.find(key)
        if job is None:
            return
        if job.stage is JobStage.FAILED:
            visitor.note(repo_id, sentence(job.reason))
        self._jobs.leave(job.key, _owner(session, repo_id))

    def _add(self, job: Job[Key, None]) -> None:
        def report(progress: DownloadProgress) -> None:
            job.result = progress

        try:
            self._store.add(*job.key, report, job.watch.cancelled)
        except HubCancelledError:
            raise
        except HubError as error:
            logger.info("not added: %s", error)
            raise
        except Exception as error:
            raise HubError(failure_message(error, f"adding {job.key[0]}")) from error


@dataclass(frozen=True)
class HubState:
    """The state for one visitor, by name of repository."""

    serial: int  # grows with each state, since answers may overtake each other
    here: Mapping[str, Source]
    adding: Mapping[str, DownloadProgress]
    problems: Mapping[str, str]  # why a model was not added, or what looks broken in one that was
    listing: RepositoryListing | str | None = None  # the listing, see `HubVisitor`


class Hub:
    """The models of one folder; a second server over the same folder sees the same."""

    def __init__(self, settings: HubSettings, curated: tuple[CuratedModel, ...] = CURATED_MODELS) -> None:
        self.settings = settings
        self.curated = curated
        self.store = HubStore(settings)
        self.additions = Additions(self.store)
        self._serials = count(time.time_ns() // 1000)  # larger than those of an earlier server

    def names(self) -> tuple[str, ...]:
        """All usable models; with `folder`, the `hub_models` of a registry."""
        return self.store.names()

    def folder(self, name: str) -> Path | None:
        """The folder of a model. This does not count as use, since every list calls it."""
        return None if self.store.source(name) is None else self.settings.root / name

    def use(self, name: str) -> None:
        """Note that a model is used, so that others are removed before it."""
        self.store.folder(name)

    def state(self, session: str) -> HubState:
        """The current state for a visitor."""
        serial, visitor = next(self._serials), self.additions.visitor(session)
        adding = self.additions.progress(session)  # before the names, or a new model could be in neither
        sources = {name: source for name in self.names() if (source := self.store.source(name)) is not None}
        warnings = {name: warning for name, source in sources.items() if (warning := _warning(source))}
        return HubState(serial, sources, adding, warnings | visitor.problems, visitor.listing)

    @property
    def is_free(self) -> bool:
        """Whether visitors may add any model, and remove it again."""
        return self.settings.access == "any"


def hub_of(hub: Hub | None, refusal: str) -> Hub:
    """The Hub. Raises RequestError with `refusal`, which says what to do instead, if the server has none."""
    if hub is None:
        raise RequestError(refusal)
    return hub


def _warning(source: Source) -> str:
    """A sentence about what looked broken when the model was added; "" for a sound model."""
    return " ".join(message_text(Message.from_dict(item)) for item in source.warnings)


def _owner(session: str, repo_id: str) -> str:
    """The owner of a job: a visitor may add several models at once, each at one revision."""
    return f"{session} {repo_id}"
