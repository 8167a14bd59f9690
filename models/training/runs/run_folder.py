"""One training run on disk. Starts no process and imports no torch."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from models.errors import TOO_DEEP
from models.sizes import folder_bytes
from models.training.events import TrainingEvent, parse_event
from models.training.runs.request import LOST, SAVING, STARTING, RunRequest, RunState, RunStatus
from models.whole_file import opener, read_bytes, read_text, write_whole

PARTIAL = ".partial-"  # before the name of a folder that is being filled
LOST_AFTER_SECONDS = 10.0  # no heartbeat came for this long
EXIT_SECONDS = 5.0  # a process may take up to this long to exit after its run
LOG_TAIL_BYTES = 32 << 10
EVENT_BYTES = 64 << 20  # the most bytes of events that one call reads


class Run:
    """One run folder. Everything is read from disk each time, so that any process may ask."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.id = folder, folder.name
        self.best, self.last, self.data = folder / "best", folder / "last", folder / "data"
        self.request_file = folder / "run.json"
        self.events_file, self.log_file = folder / "events.jsonl", folder / "log.txt"
        self.stop_file, self.status_file = folder / "STOP", folder / "status.json"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Run) and other.folder == self.folder

    def __hash__(self) -> int:
        return hash(self.folder)

    @classmethod
    def create(cls, folder: Path, request: RunRequest, data: Mapping[str, str]) -> Run:
        """Create a folder with a request, the files of `data` by name, and the status of a waiting run.

        It creates all or nothing, also if the process is killed. Raises OSError, and ValueError for a file
        name with a folder.
        """
        partial = cls(folder.with_name(f"{PARTIAL}{folder.name}"))
        partial.folder.mkdir(parents=True)
        try:
            partial._fill(request, data)
            partial.folder.rename(folder)
        except BaseException:
            partial.remove()
            raise
        return cls(folder)

    def _fill(self, request: RunRequest, data: Mapping[str, str]) -> None:
        if data:
            self.data.mkdir()
        for name, text in data.items():
            if Path(name).name != name:
                raise ValueError(f"data must name files without folders; got {name!r}")
            (self.data / name).write_text(text, encoding="utf-8")
        text = json.dumps(request.to_dict(), indent=2, ensure_ascii=False)
        write_whole(self.request_file, text + "\n")
        now = time.time()
        status = RunStatus(RunState.QUEUED, now, message=STARTING, queued_since=now, owner=request.owner)
        self.write_status(status)

    @property
    def request(self) -> RunRequest:
        """The request. Raises ValueError if the file is damaged, OSError if it is gone or no file."""
        try:
            data = json.loads(read_bytes(self.request_file))
        except RecursionError as error:
            raise ValueError(TOO_DEEP) from error
        return RunRequest.from_dict(data)

    @property
    def data_folder(self) -> Path:
        """The folder of the recipe's files."""
        return Path(self.request.data_folder) if self.request.data_folder else self.data

    def lock(self) -> FileLock:
        """The lock of the process that trains: a run has one writer, and the lock ends with its process."""
        return FileLock(self.folder / "run.lock")

    def is_held(self, timeout: float = 0.0) -> bool:
        """Whether a living process has the lock, and keeps it for `timeout` seconds."""
        if not self.folder.is_dir():  # taking the lock would create a removed folder again
            return False
        try:
            with self.lock().acquire(timeout=timeout):
                return False
        except Timeout:
            return True
        except OSError:  # removed meanwhile; or the disk is full, so that nobody can have a lock
            return False

    def status(self) -> RunStatus:
        """The status that was written last, or that of a lost run. `state` also finds runs lost since."""
        try:
            return RunStatus.from_json(read_text(self.status_file))
        except (OSError, ValueError):
            return RunStatus(RunState.LOST, 0.0)

    def write_status(self, status: RunStatus) -> None:
        """Replace the status in one step, so that no reader sees half of it. Raises OSError."""
        write_whole(self.status_file, status.to_json() + "\n", writer=str(os.getpid()))

    def state(self, now: float | None = None) -> RunState:
        """The state of the run at the Unix time `now` in seconds."""
        status = self.status()
        if not status.state.is_active:
            return status.state
        silence = (time.time() if now is None else now) - status.heartbeat
        # If the lock is held, the process sleeps or the disk is full. The clock may have been set back since
        # a heartbeat in the future.
        if abs(silence) > LOST_AFTER_SECONDS and not self.is_held():
            return RunState.LOST
        return RunState.STOPPING if self.stop_file.exists() else status.state

    def sentence(self, now: float | None = None) -> str:
        """The activity of the run, or the reason for its end. It may contain a visitor's text: escape it."""
        state = self.state(now)
        if state is RunState.LOST:
            return LOST
        return SAVING if state is RunState.STOPPING else self.status().message

    def events(self, since_byte: int = 0) -> tuple[list[TrainingEvent], int]:
        """Events from a byte offset on, and the offset to go on from; damaged lines are left out.

        A call reads at most EVENT_BYTES.
        """
        try:
            with open(self.events_file, "rb", opener=opener) as file:
                file.seek(since_byte)
                content = file.read(EVENT_BYTES)
        except OSError:
            return [], since_byte
        complete = content[: content.rfind(b"\n") + 1]  # the last line may be incomplete
        if not complete and len(content) == EVENT_BYTES:
            return [], since_byte + EVENT_BYTES  # no line is so long
        events: list[TrainingEvent] = []
        for line in complete.decode("utf-8", "replace").split("\n"):
            try:
                events.append(parse_event(line))
            except ValueError:
                continue
        return events, since_byte + len(complete)

    def log_tail(self, lines: int = 20) -> str:
        """The last lines that the process printed. They may contain any text: escape it."""
        try:
            with open(self.log_file, "rb", opener=opener) as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - LOG_TAIL_BYTES))
                text = file.read(LOG_TAIL_BYTES).decode("utf-8", "replace")
        except OSError:
            return ""
        printable = "".join(c for c in text if c.isprintable() or c in "\n\t")
        return "\n".join(printable.rstrip().split("\n")[-lines:])

    def ask_to_stop(self) -> None:
        """Ask the run to save and end. A finished run is left alone."""
        if self.state().is_active:
            self.stop_file.touch()

    def size_bytes(self) -> int:
        """The size of the folder on disk; files that are removed meanwhile count as 0."""
        return folder_bytes(self.folder)

    def remove(self) -> None:
        """Delete the folder, or the link to it; what cannot be deleted is left."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with suppress(OSError):
            self.folder.unlink()
