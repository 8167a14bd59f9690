"""The download of one dataset file from the Hugging Face Hub: checked before and after.

No account is used: a visitor must not read with the rights of the operator.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from models.corpus.files.formats import MAX_BYTES, SUFFIXES
from models.corpus.pairs import DataError
from models.errors import Message
from models.hub.errors import TOO_MANY_REQUESTS, asks_to_wait, status_of, within
from models.hub.listing.model_files import RepositoryFile
from models.hub.listing.repository import COMMIT, DIGEST

if TYPE_CHECKING:
    from huggingface_hub import HfFileMetadata

ANSWER_SECONDS = 8.0  # the Hub must answer within this time
MIN_BYTES_PER_SECOND = 500_000  # a slower download is given up
SPARE_DISK_BYTES = 1 << 30  # they must stay free; nothing else limits the cache
_DATASET_URL = re.compile(r"https://huggingface\.co/datasets/")
_DATASET_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)

T = TypeVar("T")


@dataclass(frozen=True)
class HubFile:
    """A file in the cache, with its address and commit, so that the same file can be fetched again."""

    repo: str
    file_name: str
    revision: str  # the commit, 40 hexadecimal digits
    path: Path


def download_file(repo: str, file_name: str) -> HubFile:
    """Download a file at the current commit of its dataset. Raises DataError with a remedy."""
    repo, file_name = _DATASET_URL.sub("", repo.strip()).rstrip("/"), file_name.strip()
    _check_names(repo, file_name)
    location = f"{file_name} of {repo}"
    metadata = _within(ANSWER_SECONDS, location, lambda: _metadata(repo, file_name))
    commit, size = metadata.commit_hash, metadata.size
    if commit is None or not COMMIT.fullmatch(commit) or size is None:
        raise DataError(
            "dataset_file_size_unknown",
            "the Hub does not say how large {file} is: download it yourself and upload it here",
            file=location,
        )
    if size > MAX_BYTES:
        raise DataError(
            "dataset_file_too_large",
            "{file} has {size} MB, more than {limit} MB: choose a smaller file, or upload a part of it",
            file=location,
            size=f"{size / 1e6:.0f}",
            limit=MAX_BYTES // 1_000_000,
        )
    _check_disk(size + SPARE_DISK_BYTES, location)
    limit = ANSWER_SECONDS + size / MIN_BYTES_PER_SECOND
    path = _within(limit, location, lambda: _fetch(repo, file_name, commit))
    _verify(path, RepositoryFile(file_name, size, metadata.etag or ""), location)
    return HubFile(repo, file_name, commit, path)


def _check_names(repo: str, file_name: str) -> None:
    if not _DATASET_NAME.fullmatch(repo) or "--" in repo or ".." in repo:
        raise DataError(
            "no_dataset_name",
            "{name} is not a name of a dataset: write it as owner/name, as on its page",
            name=repr(repo[:80]),
        )
    if not file_name.lower().endswith(SUFFIXES):
        raise DataError(
            "dataset_file_kind_unknown",
            "{name} is not of a kind that can be read: choose {kinds}",
            name=repr(file_name[-80:]),
            kinds=", ".join(SUFFIXES),
        )
    if not all(part not in {"", ".", ".."} for part in re.split(r"[/\\]", file_name)):
        raise DataError(
            "no_dataset_path",
            "{name} is not a path within a dataset: write it as on the Files page",
            name=repr(file_name[-80:]),
        )


def _check_disk(needed: int, location: str) -> None:
    from huggingface_hub import constants

    cache = Path(constants.HF_HUB_CACHE).absolute()
    while not cache.exists():
        cache = cache.parent
    if shutil.disk_usage(cache).free < needed:
        raise DataError(
            "disk_nearly_full",
            "the disk is nearly full, so {file} is not fetched: free some space, or paste a part",
            file=location,
        )


def _metadata(repo: str, file_name: str) -> HfFileMetadata:
    from huggingface_hub import get_hf_file_metadata, hf_hub_url

    url = hf_hub_url(repo, file_name, repo_type="dataset")
    return get_hf_file_metadata(url, token=False, timeout=ANSWER_SECONDS)


def _fetch(repo: str, file_name: str, commit: str) -> Path:
    from huggingface_hub import hf_hub_download

    return Path(hf_hub_download(repo, file_name, repo_type="dataset", revision=commit, token=False))


def _within(seconds: float, location: str, work: Callable[[], T]) -> T:
    """Return the result of `work`. Raises DataError for every failure, and when time is up."""
    try:
        return within(seconds, work)
    except TimeoutError:
        raise DataError(
            "dataset_late",
            "{file} did not arrive in time: try again later, or download it yourself and upload it here",
            file=location,
        ) from None
    except Exception as error:
        raise DataError(_explain(error, location)) from error


def _explain(error: Exception, file: str) -> Message:
    from huggingface_hub import errors

    if isinstance(error, errors.GatedRepoError):
        return Message(
            "dataset_gated",
            "{file} asks for an account: accept its terms on its page, download it and upload it here",
            file=file,
        )
    if isinstance(error, errors.RepositoryNotFoundError | errors.DisabledRepoError):
        return Message(
            "no_such_dataset",
            "there is no public dataset for {file}: check how its name is spelled on the Hub",
            file=file,
        )
    if isinstance(error, errors.RemoteEntryNotFoundError):
        return Message(
            "dataset_no_such_file",
            "there is no file {file}: copy its path from the Files page of the dataset",
            file=file,
        )
    if isinstance(error, errors.HFValidationError):
        return Message(
            "dataset_name_not_allowed",
            "{file} is not a name the Hub allows: write the dataset as owner/name, as on its page",
            file=file,
        )
    status = status_of(error)
    if status == TOO_MANY_REQUESTS:
        return asks_to_wait(file)
    if status is not None:
        return Message(
            "dataset_refused",
            "the Hub answered with error {status} for {file}: try again later, or upload the file here",
            status=status,
            file=file,
        )
    if isinstance(error, OSError) and error.errno and not isinstance(error, ConnectionError):
        return Message(
            "dataset_not_stored",
            "{file} cannot be stored ({reason}): free some space on the disk, or try later",
            file=file,
            reason=error.strerror,
        )
    return Message(
        "dataset_unreachable",
        "the Hub cannot be reached for {file}: check the connection, or upload the file here",
        file=file,
    )


def _verify(path: Path, file: RepositoryFile, location: str) -> None:
    """Raise DataError unless the file has the digest that the Hub gives."""
    if DIGEST.fullmatch(file.digest) and not file.matches(path):
        # Deleted, since the next call would take the damaged file from the cache.
        path.resolve().unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        raise DataError("dataset_file_damaged", "{file} arrived damaged: try again", file=location)
