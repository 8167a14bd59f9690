"""Downloads the files of a listing into a folder, and checks every byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from models.errors import Message
from models.hub.download.progress import DownloadProgress, Report
from models.hub.errors import HubError, cancellation, damaged, explain_local, unreachable
from models.hub.listing.model_files import RepositoryListing
from models.hub.settings import HubSettings

PROJECT = Path(__file__).parents[3]
GLANCE = 0.1  # seconds between two looks at how far a download is
START = 3.0  # seconds more for the process to start
LONGEST = 10_000  # bytes of what the process says
SECRETS = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_HUB_TOKEN")


def fetch(
    listing: RepositoryListing,
    folder: Path,
    settings: HubSettings,
    report: Report,
    cancelled: threading.Event,
) -> None:
    """Put the files of `listing` into `folder`/files. Raises HubError, and then keeps what has arrived."""
    files = folder / "files"
    order = {
        "repo_id": listing.repo_id,
        "commit": listing.commit,
        "names": [file.name for file in listing.files],
        "folder": str(files),
        "cache": str(folder / "cache"),
        "endpoint": settings.endpoint,
    }
    with tempfile.TemporaryFile() as said, _child(order, said, folder) as child:
        _watch(child, listing, files, settings.patience, report, cancelled)
        said.seek(0)
        output = said.read(LONGEST)
    if child.returncode:
        raise HubError(_child_message(output) or unreachable(listing.repo_id))
    report(DownloadProgress("checking", listing.bytes, listing.bytes))
    for file in listing.files:
        if cancelled.is_set():
            raise cancellation(listing.repo_id)
        path = files / file.name
        if not path.is_file() or path.is_symlink() or not file.matches(path):
            raise HubError(damaged(file.name, listing.repo_id))


@contextmanager
def _child(order: Mapping[str, object], said: IO[bytes], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The process that downloads; it never outlives the block."""
    environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
    environment |= {
        "HF_HOME": str(folder / "home"),  # with no token in it
        "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
        "HF_HUB_DISABLE_XET": "1",  # it reports no growth for long, and keeps a second copy
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", "models.hub.download.worker"],
            cwd=PROJECT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        name = str(order["repo_id"])
        not_started = Message(
            "download_not_started",
            "the download of {model} could not be started: try again later",
            model=name,
        )
        raise HubError(explain_local(error, name) or not_started) from error
    assert child.stdin is not None
    try:
        with suppress(OSError):  # it has died already, as its code says
            child.stdin.write(json.dumps(order).encode() + b"\n")
            child.stdin.flush()
        yield child
    finally:
        child.kill()
        child.wait()
        with suppress(OSError):
            child.stdin.close()


def _watch(
    child: subprocess.Popen[bytes],
    listing: RepositoryListing,
    files: Path,
    patience: float,
    report: Report,
    cancelled: threading.Event,
) -> None:
    """Wait until the child ends. Raises HubError if cancelled, or if it receives nothing or too much."""
    most, last = -1, time.monotonic() + START
    while child.poll() is None:
        present = _bytes(files)
        now = time.monotonic()
        if present > most:  # what a server sends twice is no progress
            most, last = present, max(last, now) if present == 0 else now
            report(DownloadProgress("downloading", min(present, listing.bytes), listing.bytes))
        if cancelled.wait(GLANCE):
            raise cancellation(listing.repo_id)
        if now - last > patience:
            raise HubError(unreachable(listing.repo_id))
        if present > listing.bytes + (1 << 20):  # its own notes lie there too
            raise HubError(
                "larger_than_listed",
                "{model} is larger than the Hub said: choose another model, or another revision",
                model=listing.repo_id,
            )


def _child_message(output: bytes) -> Message | None:
    """The child's message about its failure; None if it was killed before it wrote one."""
    try:
        return Message.from_dict(json.loads(output))
    except ValueError:
        return None


def _bytes(folder: Path) -> int:
    """The size of all files in a folder in which another process writes, moves and deletes."""
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.stat(os.path.join(parent, name)).st_size
    return total
