"""The models that visitors add, as jobs: visitors who add the same model share its download."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from math import inf

from demo.i18n import later
from demo.work.errors import failure_message, sentence
from demo.work.jobs import Job, JobLimits, Jobs, JobStage
from demo.work.operator.work import HUB
from models.hub.download.fetch import DownloadProgress
from models.hub.errors import HubCancelledError, HubError
from models.hub.listing.model_files import RepositoryListing
from models.hub.storage.store import HubStore
from models.lru_cache import LruCache

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


def _owner(session: str, repo_id: str) -> str:
    """The owner of a job: a visitor may add several models at once, each at one revision."""
    return f"{session} {repo_id}"
