"""All training runs under one folder: those of a visitor, the active ones, and the removal of old ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Lock

from models.errors import Message, UnrolledError
from models.training.runs.request import RUN_ID, RunRequest, is_token, owner_of
from models.training.runs.run_folder import EXIT_SECONDS, Run

RUN_GONE = Message("run_gone", "There is no such run any more.")
MAX_RUNS_PER_VISITOR = 30  # older ones are removed


class UnknownRunError(UnrolledError, ValueError):
    """An id that no run has."""


class RunError(UnrolledError, RuntimeError):
    """An action that is impossible for a run now; the message is a sentence for the visitor."""


class Runs:
    """The runs of all visitors. All data are on disk, so a new server finds all runs.

    The runs under `recorded` ship with the program: everybody may read them, and nobody may change them.

    When a run is created, the oldest finished runs are removed to make room: those of the visitor beyond
    `per_visitor`, then those of anyone while all runs together take more than `total_bytes` (0 = no cap).
    """

    def __init__(
        self,
        root: Path,
        total_bytes: int = 0,
        per_visitor: int = MAX_RUNS_PER_VISITOR,
        recorded: Path | None = None,
    ) -> None:
        self.root, self.total_bytes, self.per_visitor = root, total_bytes, per_visitor
        self._recorded = recorded
        self._lock = Lock()
        self._requests: dict[
            str, RunRequest
        ] = {}  # a cache: a request never changes, and a page asks every other second

    def create(self, request: RunRequest, data: Mapping[str, str] | None = None) -> Run:
        """A new run that no worker has yet; `data` holds the texts of its files by name. Raises OSError."""
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._lock:
            self._make_room(request.owner)
            return Run.create(self.root / request.id, request, data or {})

    def find(self, run_id: object) -> Run:
        """The run of an id, a visitor's or a shipped one. Raises UnknownRunError."""
        if isinstance(run_id, str) and len(run_id) <= 60 and RUN_ID.fullmatch(run_id):
            for folder in filter(None, (self.root, self._recorded)):
                run = Run(folder / run_id)
                if self._request(run) is not None:
                    return run
        raise UnknownRunError(
            "no_such_run", "There is no such run. It may have been removed to make room for newer ones."
        )

    def of(self, token: str) -> tuple[Run, ...]:
        """A visitor's runs, newest first."""
        if not is_token(token):
            return ()
        owner = owner_of(token)
        return tuple(run for run, request in reversed(self._all()) if request.owner == owner)

    def recorded_runs(self) -> tuple[Run, ...]:
        """The runs that ship, oldest first."""
        return () if self._recorded is None else tuple(run for run, _ in self._all(self._recorded))

    def is_recorded(self, run: Run) -> bool:
        """Whether the run is one of those that ship."""
        return run.folder.parent == self._recorded

    def active(self) -> tuple[Run, ...]:
        """The runs of all visitors that wait or train, oldest first."""
        return tuple(run for run, _ in self._all() if run.state().is_active)

    def request(self, run: Run) -> RunRequest:
        """The request of a run, from memory where possible. Raises UnknownRunError."""
        request = self._request(run)
        if request is None:
            raise UnknownRunError(RUN_GONE)
        return request

    def remove(self, run: Run) -> None:
        """Delete a run and its checkpoints. Raises RunError while it is under way, and for one that ships."""
        if self.is_recorded(run):
            raise RunError(
                "run_recorded", "This run was recorded for everybody to watch and cannot be removed."
            )
        if run.state().is_active or run.is_held(EXIT_SECONDS):
            raise RunError("run_under_way", "This run is under way. Stop it first, then remove it.")
        run.remove()

    def _all(self, root: Path | None = None) -> list[tuple[Run, RunRequest]]:
        """The runs under `root`, oldest first; folders that hold no run are skipped."""
        try:
            folders = [folder for folder in (root or self.root).iterdir() if RUN_ID.fullmatch(folder.name)]
        except OSError:
            return []
        result = ((run, self._request(run)) for run in map(Run, folders))
        runs = [(run, request) for run, request in result if request is not None]
        return sorted(runs, key=lambda pair: pair[1].created)

    def _request(self, run: Run) -> RunRequest | None:
        if not run.request_file.is_file():
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
        all_runs = self._all()
        active = [(run, request) for run, request in all_runs if run.state().is_active]
        start_folders = {
            Path(request.start_folder) for _, request in active
        }  # the start of a fine-tuning that has not read it yet
        idle = [
            (run, request)
            for run, request in all_runs
            if (run, request) not in active and not start_folders & {run.best, run.last}
        ]
        visitors = [run for run, request in idle if request.owner == owner]
        total = sum(request.owner == owner for _, request in all_runs)
        for run in visitors[: max(0, total + 1 - self.per_visitor)]:
            run.remove()
        if not self.total_bytes:
            return
        sizes = {run.id: run.size_bytes() for run, _ in all_runs if run.folder.exists()}
        for run, _ in idle:
            if sum(sizes.values()) <= self.total_bytes:
                return
            if run.id in sizes:
                run.remove()
                del sizes[run.id]
