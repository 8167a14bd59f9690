"""Downloads from the Hub, which visitors who add the same model share."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Lock, Thread

from demo.errors import failure_message
from models.hub.download.progress import DownloadProgress
from models.hub.errors import HubCancelledError, HubError
from models.hub.storage.store import HubStore

logger = logging.getLogger("unrolled")


@dataclass(eq=False)
class Addition:
    """A download, which is cancelled when nobody waits for it any more."""

    repo_id: str
    revision: str
    progress: DownloadProgress = field(default_factory=lambda: DownloadProgress("waiting"))
    done: Event = field(default_factory=Event)
    cancelled: Event = field(default_factory=Event)
    error: HubError | None = None
    waiting: int = 0  # visitors

    def result(self) -> str:
        """The name of the model, once the download is done. Raises HubError."""
        if self.error is not None:
            raise self.error
        return self.repo_id


class Additions:
    """The downloads of this process; the store itself waits for those of other processes."""

    def __init__(self, store: HubStore) -> None:
        self._store = store
        self._lock = Lock()
        self._under_way: dict[tuple[str, str], Addition] = {}

    @contextmanager
    def join(self, repo_id: str, revision: str) -> Iterator[Addition]:
        """Begin or join a download; it is cancelled when the last visitor leaves."""
        with self._lock:
            addition = self._under_way.get((repo_id, revision))
            if addition is None or addition.cancelled.is_set():
                addition = self._under_way[repo_id, revision] = Addition(repo_id, revision)
                Thread(target=self._add, args=[addition], name="an addition", daemon=True).start()
            addition.waiting += 1
        try:
            yield addition
        finally:
            with self._lock:
                addition.waiting -= 1
                if not addition.waiting:
                    addition.cancelled.set()

    def _add(self, addition: Addition) -> None:
        def report(progress: DownloadProgress) -> None:
            addition.progress = progress

        try:
            self._store.add(addition.repo_id, addition.revision, report, addition.cancelled)
        except HubCancelledError as error:
            addition.error = error
        except HubError as error:
            logger.info("not added: %s", error)
            addition.error = error
        except Exception as error:
            addition.error = HubError(failure_message(error, f"adding {addition.repo_id}"))
        finally:
            with self._lock:
                if self._under_way.get((addition.repo_id, addition.revision)) is addition:
                    del self._under_way[addition.repo_id, addition.revision]
            addition.done.set()
