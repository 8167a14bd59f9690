"""Room for a model that is added: working folders, locks, and checks of disk and memory. Imports no torch."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from models.hub.download.fetch import DownloadProgress, Report
from models.hub.errors import HubError, cancellation, too_little_memory
from models.hub.listing.model_files import RepositoryListing
from models.hub.settings import HubSettings
from models.sizes import size_text

WORK_FOLDER, LOCKS_FOLDER = ".work", ".locks"  # no owner's name begins with a dot
RETRY_SECONDS = 0.2  # between two tries to get a lock
MIN_FREE_BYTES = 200 << 20  # they must stay free on the disk
# Bytes of memory for each byte of weights: the network has 32 bits where the file may have 16.
LOADING_FACTOR, CONVERSION_FACTOR = 2.0, 3.0
CGROUP_FOLDER = Path("/sys/fs/cgroup")


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


def check_size(listing: RepositoryListing, settings: HubSettings) -> None:
    """Raise HubError for a model that is over the cap, or too large for this machine's memory."""
    cap = settings.max_bytes
    if cap and listing.bytes > cap:
        raise HubError(
            "hub_too_large",
            "{model} has {size}, more than the {limit} that this server fetches: choose a "
            "smaller model, or raise UNROLLED_HUB_BYTES",
            model=listing.repo_id,
            size=size_text(listing.bytes),
            limit=size_text(cap),
        )
    factor = CONVERSION_FACTOR if listing.converts else LOADING_FACTOR
    available = available_memory()
    if available is not None and listing.weight_bytes * factor > available:
        raise HubError(
            "too_little_memory_by",
            "{problem} ({needed} where {free} are free)",
            problem=too_little_memory(listing.repo_id),
            needed=size_text(listing.weight_bytes * factor),
            free=size_text(available),
        )


def needed_bytes(listing: RepositoryListing) -> int:
    """The bytes of disk that a model needs while it is added. A pickle needs room for its conversion, too."""
    return listing.bytes + (listing.weight_bytes if listing.converts else 0)


def check_disk(listing: RepositoryListing, folder: Path) -> None:
    """Raise HubError if the disk of `folder` has too little space for the model."""
    free_space = shutil.disk_usage(folder).free
    needed_space = needed_bytes(listing) + MIN_FREE_BYTES
    if needed_space > free_space:
        raise HubError(
            "hub_disk_too_small",
            "{model} needs {needed} of disk where {free} are free: remove a model, or free some space",
            model=listing.repo_id,
            needed=size_text(needed_space),
            free=size_text(free_space),
        )


def available_memory() -> int | None:
    """The bytes that a process may still allocate, according to the system; None if unknown."""
    result = [bytes for bytes in (_of_machine(), _container_memory()) if bytes is not None]
    return min(result, default=None)


def _of_machine() -> int | None:
    with suppress(OSError, ValueError, IndexError):  # Linux counts memory that it could free
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    with suppress(AttributeError, OSError, ValueError):  # Windows has no such function
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return None


def _container_memory() -> int | None:
    """The bytes left of the memory limit of a container, such as a Space; None if there is no limit."""
    with suppress(OSError, ValueError):
        limit = int((CGROUP_FOLDER / "memory.max").read_text())  # "max" is not a number
        used_bytes = int((CGROUP_FOLDER / "memory.current").read_text())
        lines = (CGROUP_FOLDER / "memory.stat").read_text().splitlines()
        cached = next((int(line.split()[1]) for line in lines if line.startswith("inactive_file ")), 0)
        return max(limit - used_bytes + cached, 0)
    return None
