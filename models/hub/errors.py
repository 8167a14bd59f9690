"""Errors of the Hub, each one sentence with a remedy, and a time limit for what may hang."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import TypeVar

from models.errors import Message, UnrolledError
from models.whole_file import disk_is_full

TOO_MANY_REQUESTS = 429  # HTTP status
T = TypeVar("T")


class HubError(UnrolledError, RuntimeError):
    """A model that cannot be fetched, used or pushed; the message is one sentence with a remedy."""


class HubCancelledError(HubError):
    """The addition of a model was cancelled."""


def explain(error: BaseException, model: str) -> Message:
    """The message for an `error` that huggingface_hub raised while it read `model`."""
    from huggingface_hub import errors

    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ is not None:
        return explain(error.__cause__, model)  # the error itself names only the cache
    if isinstance(error, errors.GatedRepoError):  # a kind of RepositoryNotFoundError
        return gated_error(model)
    if isinstance(error, errors.RepositoryNotFoundError | errors.DisabledRepoError):
        return Message(
            "hub_no_such_model",
            "there is no public model {model} on the Hub: check how its name is spelled, or make it "
            "public if it is yours",
            model=model,
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return Message(
            "hub_no_such_revision",
            "{model} has no such revision: leave the revision out, or copy a commit from its page",
            model=model,
        )
    if isinstance(error, errors.RemoteEntryNotFoundError):
        return Message(
            "hub_listed_file_missing",
            "{model} lacks a file that it listed: try again, or choose another revision",
            model=model,
        )
    if isinstance(error, errors.HFValidationError):
        return Message(
            "hub_name_not_allowed",
            "{model} is not a name that the Hub allows: write it as owner/name, as on its page",
            model=model,
        )
    status = status_of(error)
    if status is None:
        return explain_local(error, model) or unreachable(model)
    if status == TOO_MANY_REQUESTS:
        return asks_to_wait(model)
    if status >= 500:
        return Message(
            "hub_out_of_order",
            "the Hub is out of order (error {status}), so {model} cannot be fetched: try again later",
            status=status,
            model=model,
        )
    return Message(
        "hub_refuses",
        "the Hub refuses {model} (error {status}): check its name, or choose another model",
        model=model,
        status=status,
    )


def status_of(error: BaseException) -> int | None:
    """The HTTP status of the Hub's answer; None for an error of another kind."""
    from huggingface_hub.errors import HfHubHTTPError

    return error.response.status_code if isinstance(error, HfHubHTTPError) else None


def explain_local(error: BaseException, model: str) -> Message | None:
    """The sentence for an error of this machine's disk or memory; None for any other."""
    if isinstance(error, MemoryError):
        return too_little_memory(model)
    if disk_is_full(error):
        return Message(
            "hub_disk_full",
            "the disk is full, so {model} cannot be stored: remove a model, or free some space",
            model=model,
        )
    if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Message(
            "hub_not_writable",
            "{model} cannot be stored: let UNROLLED_HUB_CACHE name a folder that can be written to",
            model=model,
        )
    return None


def unreachable(model: str) -> Message:
    """The error for a network that is down, slow, or cuts answers short."""
    return Message(
        "hub_unreachable",
        "{model} did not arrive from the Hub: check the connection and try again, or use a model that is "
        "here already",
        model=model,
    )


def gated_error(model: str) -> Message:
    """The error for a model that is not open to everybody."""
    return Message(
        "hub_gated",
        "{model} is given only to accounts that accepted its terms: choose a model without such terms",
        model=model,
    )


def asks_to_wait(model: str) -> Message:
    """The error for too many requests to the Hub."""
    return Message(
        "hub_busy", "the Hub asks to wait before {model} is fetched: try again in some minutes", model=model
    )


def damaged_file_error(file: str, model: str) -> Message:
    """The error for a file that differs from the listed one, though it may be as long."""
    return Message(
        "hub_file_damaged",
        "{file} of {model} arrived damaged and was deleted: try again",
        file=file,
        model=model,
    )


def unreadable(file: str, model: str, remedy: Message) -> Message:
    """The error for a file whose content is not of its kind."""
    return Message(
        "hub_file_unreadable",
        "{model} has a {file} that cannot be read: {remedy}",
        model=model,
        file=file,
        remedy=remedy,
    )


def too_little_memory(model: str) -> Message:
    """The error for a model that does not fit into the machine's memory."""
    return Message(
        "too_little_memory",
        "{model} needs more memory than this machine has free: choose a smaller model",
        model=model,
    )


def cancellation(model: str) -> HubCancelledError:
    """The error that ends a cancelled addition."""
    return HubCancelledError(
        "hub_cancelled", "{model} was cancelled: add it again whenever you like", model=model
    )


def within(seconds: float, work: Callable[[], T]) -> T:
    """Return the result of `work`, or raise its exception. Raises TimeoutError when time is up.

    `work` goes on after that, since it runs in a thread: huggingface_hub has no time limit for some requests,
    and tries others again for minutes.
    """
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except Exception as error:
            result.set_exception(error)

    threading.Thread(target=run, name="a request to the Hub", daemon=True).start()
    try:
        return result.result(timeout=seconds)
    except FutureTimeoutError:  # another class than TimeoutError until Python 3.11
        raise TimeoutError(f"no answer within {seconds:g} s") from None
