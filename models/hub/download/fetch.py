"""Downloads the files of a listing into a folder, and checks every byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from models.errors import Message
from models.hub.errors import HubError, cancellation, damaged_file_error, explain_local, unreachable
from models.hub.listing.model_files import RepositoryListing
from models.hub.settings import HubSettings
from models.sizes import folder_bytes

PROJECT_FOLDER = Path(__file__).parents[3]
POLL_SECONDS = 0.1  # between two looks at the progress of a download
START_SECONDS = 3.0  # extra time for the process to start
MAX_OUTPUT_BYTES = 10_000  # the output of the process is read up to here
SECRET_VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_HUB_TOKEN")
DOWNLOAD_STAGES = ("waiting", "looking", "downloading", "checking", "converting", "trying")


@dataclass(frozen=True)
class DownloadProgress:
    """The progress of an addition at one moment."""

    stage: str  # one of DOWNLOAD_STAGES
    done: int = 0  # bytes that have arrived
    total: int = 0  # bytes in all; 0 before the Hub has listed the files


Report = Callable[[DownloadProgress], None]


def fetch(
    listing: RepositoryListing,
    folder: Path,
    settings: HubSettings,
    report: Report,
    cancelled: threading.Event,
) -> None:
    """Put the files of `listing` into `folder`/files. Raises HubError; the files that have arrived stay."""
    files = folder / "files"
    request = {
        "repo_id": listing.repo_id,
        "commit": listing.commit,
        "names": [file.name for file in listing.files],
        "folder": str(files),
        "cache": str(folder / "cache"),
        "endpoint": settings.endpoint,
    }
    with tempfile.TemporaryFile() as child_output, _child(request, child_output, folder) as child:
        _watch(child, listing, files, settings.timeout, report, cancelled)
        child_output.seek(0)
        output = child_output.read(MAX_OUTPUT_BYTES)
    if child.returncode:
        raise HubError(_child_message(output) or unreachable(listing.repo_id))
    report(DownloadProgress("checking", listing.bytes, listing.bytes))
    for file in listing.files:
        if cancelled.is_set():
            raise cancellation(listing.repo_id)
        path = files / file.name
        if not path.is_file() or path.is_symlink() or not file.matches(path):
            raise HubError(damaged_file_error(file.name, listing.repo_id))


@contextmanager
def _child(
    request: Mapping[str, object], child_output: IO[bytes], folder: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """Start the process that downloads. It is killed at the end of the block."""
    environment = {name: value for name, value in os.environ.items() if name not in SECRET_VARIABLES}
    environment |= {
        "HF_HOME": str(folder / "home"),  # a folder without a token
        "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
        "HF_HUB_DISABLE_XET": "1",  # Xet reports no progress for a long time, and keeps a second copy
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", "models.hub.download.worker"],
            cwd=PROJECT_FOLDER,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=child_output,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        name = str(request["repo_id"])
        not_started = Message(
            "download_not_started",
            "the download of {model} could not be started: try again later",
            model=name,
        )
        raise HubError(explain_local(error, name) or not_started) from error
    assert child.stdin is not None
    try:
        with suppress(OSError):  # it has died already; its exit status says so
            child.stdin.write(json.dumps(request).encode() + b"\n")
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
    timeout: float,
    report: Report,
    cancelled: threading.Event,
) -> None:
    """Wait until the child ends. Raises HubError if cancelled, or if it receives nothing or too much."""
    largest, last_growth = -1, time.monotonic() + START_SECONDS
    while child.poll() is None:
        present = folder_bytes(files)
        time_ = time.monotonic()
        if present > largest:  # bytes that a server sends again do not count as progress
            largest, last_growth = present, max(last_growth, time_) if present == 0 else time_
            report(DownloadProgress("downloading", min(present, listing.bytes), listing.bytes))
        if cancelled.wait(POLL_SECONDS):
            raise cancellation(listing.repo_id)
        if time_ - last_growth > timeout:
            raise HubError(unreachable(listing.repo_id))
        if present > listing.bytes + (1 << 20):  # some room for the library's own notes
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
