"""All training runs under one folder: those of a visitor, the active ones, and the removal of old ones."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from filelock import FileLock, Timeout

from models.errors import Message, UnrolledError
from models.training.runs.request import RUN_ID, RunRequest, is_token, owner_of
from models.training.runs.run_folder import EXIT_SECONDS, PARTIAL, Run

RUN_GONE = Message("run_gone", "There is no such run any more.")
RUN_DAMAGED = Message("run_damaged", "This run is damaged: its request cannot be read. Remove the run.")
OTHERS_START = Message("runs_being_started", "Other runs are being started. Try again in a minute.")
ABANDONED_SECONDS = 3600.0  # a folder that is being filled for so long was left by a killed process
LOCK_FILE, LOCK_SECONDS = ".starting", 30.0  # the folder of all runs has the lock
MAX_RUNS_PER_VISITOR = 30  # older ones are removed


class UnknownRunError(UnrolledError, ValueError):
    """An id that no run has, or that of a damaged run, which can only be removed."""


class RunError(UnrolledError, RuntimeError):
    """An action that is impossible for a run now; the message is a sentence for the visitor."""


class Runs:
    """The runs of all visitors. All data are on disk, so a new server finds all runs.

    The runs under `recorded` ship with the program: everybody may read them, and nobody may change them.

    When a run is created, the oldest finished runs are removed to make room: those of the visitor beyond
    MAX_RUNS_PER_VISITOR, then those of anyone while all runs together take more than `total_bytes` (0 = no
    cap).
    """

    def __init__(self, root: Path, total_bytes: int = 0, recorded: Path | None = None) -> None:
        self.root, self.total_bytes, self._recorded = root, total_bytes, recorded
        self._lock = Lock()
        # A cache: a request never changes, and a page asks every other second.
        self._requests: dict[str, RunRequest] = {}

    def create(self, request: RunRequest, data: Mapping[str, str] | None = None) -> Run:
        """A new run that no worker has yet; `data` holds the texts of its files by name. Raises OSError."""
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._lock:
            self._make_room(request.owner)
            for path in self.root.glob(f"{PARTIAL}*"):
                with suppress(OSError):  # another server may remove it, too
                    if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
                        Run(path).remove()
            return Run.create(self.root / request.id, request, data or {})

    def find(self, run_id: object) -> Run:
        """The run of an id, a visitor's or a shipped one, perhaps damaged. Raises UnknownRunError."""
        if isinstance(run_id, str) and len(run_id) <= 60 and RUN_ID.fullmatch(run_id):
            for folder in filter(None, (self.root, self._recorded)):
                run = Run(folder / run_id)
                if _exists(run):
                    return run
        raise UnknownRunError(
            "no_such_run", "There is no such run. It may have been removed to make room for newer ones."
        )

    def of(self, token: str) -> tuple[Run, ...]:
        """A visitor's runs, damaged ones included, newest first."""
        if not is_token(token):
            return ()
        owner = owner_of(token)
        return tuple(run for run in reversed(self._all(self.root)) if self.owner(run) == owner)

    def owner(self, run: Run) -> str:
        """The stored form of the token of a run's visitor; "" where damage leaves it unknown."""
        request = self._request(run)
        return run.status().owner if request is None else request.owner

    def recorded_runs(self) -> tuple[Run, ...]:
        """The runs that ship, oldest first."""
        runs = [] if self._recorded is None else self._all(self._recorded)
        return tuple(run for run in runs if not self.is_damaged(run))

    def is_recorded(self, run: Run) -> bool:
        """Whether the run is one of those that ship."""
        return run.folder.parent == self._recorded

    def is_damaged(self, run: Run) -> bool:
        """Whether the request of a run cannot be read."""
        return _exists(run) and self._request(run) is None

    def active_requests(self) -> dict[Run, RunRequest]:
        """The runs of all visitors that wait or train, oldest first, without damaged ones; their requests."""
        requests = {run: self._request(run) for run in self._all(self.root)}
        return {
            run: request for run, request in requests.items() if request is not None and run.state().is_active
        }

    def request(self, run: Run) -> RunRequest:
        """The request of a run, from memory where possible. Raises UnknownRunError."""
        request = self._request(run)
        if request is None:
            raise UnknownRunError(RUN_DAMAGED if _exists(run) else RUN_GONE)
        return request

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Lock the start and the removal of runs, for threads and processes. Raises RunError."""
        with as_run_error():
            self.root.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.root / LOCK_FILE).acquire(timeout=LOCK_SECONDS)
        with lock:
            yield

    def remove(self, run: Run) -> None:
        """Delete a run and its checkpoints. Raises RunError while it is under way, and for one that ships."""
        if self.is_recorded(run):
            raise RunError(
                "run_recorded", "This run was recorded for everybody to watch and cannot be removed."
            )
        with self.turn():  # nobody may resume it meanwhile
            if run.state().is_active or run.is_held(EXIT_SECONDS):
                raise RunError("run_under_way", "This run is under way. Stop it first, then remove it.")
            run.remove()

    def _all(self, root: Path) -> list[Run]:
        """The runs under `root`, damaged ones first, then by age; folders that hold no run are skipped."""
        try:
            folders = [folder for folder in root.iterdir() if RUN_ID.fullmatch(folder.name)]
        except OSError:
            return []
        runs = {run: self._request(run) for run in filter(_exists, map(Run, folders))}
        return sorted(runs, key=lambda run: 0.0 if (request := runs[run]) is None else request.created)

    def _request(self, run: Run) -> RunRequest | None:
        """The request of a run; None if it is damaged or gone."""
        if not _exists(run):
            self._requests.pop(run.id, None)
            return None
        if run.id not in self._requests:
            try:
                request = run.request
            except (OSError, ValueError):
                return None
            if request.id != run.id:
                return None
            self._requests[run.id] = request
        return self._requests[run.id]

    def _make_room(self, owner: str) -> None:
        all_runs = self._all(self.root)
        # The start of a fine-tuning that has not read it yet.
        start_folders = {Path(request.start_folder) for request in self.active_requests().values()}
        idle = [
            run for run in all_runs if not run.state().is_active and not start_folders & {run.best, run.last}
        ]
        visitors = [run for run in idle if self.owner(run) == owner]
        total = sum(self.owner(run) == owner for run in all_runs)
        for run in visitors[: max(0, total + 1 - MAX_RUNS_PER_VISITOR)]:
            run.remove()
        if not self.total_bytes:
            return
        sizes = {run: run.size_bytes() for run in all_runs if run.folder.exists()}
        for run in idle:
            if sum(sizes.values()) <= self.total_bytes:
                return
            if run in sizes:
                run.remove()
                del sizes[run]


def _exists(run: Run) -> bool:
    """Whether there is a request, perhaps a damaged one."""
    return os.path.lexists(run.request_file)


@contextmanager
def as_run_error() -> Iterator[None]:
    """Turn errors in writing a run's folder into RunError."""
    try:
        yield
    except Timeout as error:
        raise RunError(OTHERS_START) from error
    except OSError as error:
        raise RunError(
            "run_folder_not_writable", "The run's folder cannot be written ({reason}).", reason=error.strerror
        ) from error
