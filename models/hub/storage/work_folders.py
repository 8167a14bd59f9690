"""Working folders and locks for adding and removing models, and the removal of leftovers."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from models.hub.download.fetch import DownloadProgress, Report
from models.hub.errors import cancellation

WORK_FOLDER, LOCKS_FOLDER = ".work", ".locks"  # no owner's name begins with a dot
RETRY_SECONDS = 0.2  # between two tries to get a lock


class WorkFolders:
    """The hidden folders beside the models, which several threads and processes may use at once."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @contextmanager
    def lock_model(self, name: str, report: Report, cancelled: threading.Event) -> Iterator[None]:
        """Lock a model, so that no other thread or process changes it meanwhile. Raises HubCancelledError."""
        lock = self.lock(name)
        while True:
            try:
                acquired = lock.acquire(timeout=RETRY_SECONDS)
                break
            except Timeout:
                report(DownloadProgress("waiting"))
                if cancelled.is_set():
                    raise cancellation(name) from None
        with acquired:
            yield

    def lock(self, name: str, timeout: float = 0.0) -> FileLock:
        """Return the lock of a model; entering it raises filelock.Timeout if another process has it."""
        folder = self._root / LOCKS_FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        return FileLock(folder / f"{_file_name(name)}.lock", timeout=timeout, thread_local=False)

    @contextmanager
    def work_folder(self, name: str, size: int, make_room: Callable[[], None]) -> Iterator[Path]:
        """A working folder for a locked model; while it exists, `size` bytes are reserved."""
        work = self._path(name)
        try:
            with self.lock("room", timeout=-1):
                make_room()
                work.mkdir(parents=True)
                (work / "bytes").write_text(str(size), encoding="ascii")
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def reserved_bytes(self) -> int:
        """The bytes reserved for models that are being added."""
        total = 0
        for path in self._root.glob(f"{WORK_FOLDER}/*/bytes"):
            with suppress(OSError, ValueError):
                total += int(path.read_text(encoding="ascii"))
        return total

    def sweep(self, name: str) -> None:
        """Delete working folders of killed processes, under the lock of `name`."""
        shutil.rmtree(self._path(name), ignore_errors=True)
        for work in self._root.glob(f"{WORK_FOLDER}/*"):
            with suppress(Timeout), self.lock(work.name):
                shutil.rmtree(work, ignore_errors=True)

    def discard(self, name: str, folder: Path) -> None:
        """Delete the folder of a locked model so that no reader sees half of it."""
        removed = self._path(name) / "removed"
        shutil.rmtree(removed, ignore_errors=True)  # a killed process may have left it
        removed.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(removed)
        shutil.rmtree(removed, ignore_errors=True)
        with suppress(OSError):  # another revision of the model is being added there
            removed.parent.rmdir()

    def _path(self, name: str) -> Path:
        return self._root / WORK_FOLDER / _file_name(name)


def _file_name(name: str) -> str:
    return name.replace("/", "--")  # no name on the Hub contains "--"
