"""What goes wrong with the Hub, as one sentence that says what to do about it."""

from __future__ import annotations

import errno


class HubError(RuntimeError):
    """A model that cannot be fetched, used or pushed; the message is one sentence with a remedy."""


class HubCancelledError(HubError):
    """Whoever asked for a model does not want it any more."""


def explain(error: BaseException, model: str) -> str:
    """What `error`, raised by huggingface_hub while it read `model`, means to whoever asked for it."""
    from huggingface_hub import errors

    if isinstance(error, errors.LocalEntryNotFoundError) and error.__cause__ is not None:
        return explain(error.__cause__, model)  # "not in the cache either"
    status = error.response.status_code if isinstance(error, errors.HfHubHTTPError) else None
    if isinstance(error, errors.GatedRepoError):  # a kind of RepositoryNotFoundError
        return f"{model} is given only to accounts that accepted its terms: choose a model without such terms"
    if isinstance(error, errors.RepositoryNotFoundError | errors.DisabledRepoError):
        return (
            f"there is no public model {model} on the Hub: check how its name is spelled, "
            "or make it public if it is yours"
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return f"{model} has no such revision: leave the revision out, or copy a commit from its page"
    if isinstance(error, errors.RemoteEntryNotFoundError):
        return f"{model} lacks a file that it listed: try again, or choose another revision"
    if isinstance(error, errors.HFValidationError):
        return f"{model} is no name that the Hub allows: write it as owner/name, as on its page"
    if status == 429:
        return f"the Hub asks to wait before {model} is fetched: try again in some minutes"
    if status is not None and status >= 500:
        return f"the Hub is out of order (error {status}), so {model} cannot be fetched: try again later"
    if status is not None:
        return f"the Hub refuses {model} (error {status}): check its name, or choose another model"
    return explain_local(error, model) or unreachable(model)


def explain_local(error: BaseException, model: str) -> str:
    """What an error of this machine's disk or memory means; "" for any other."""
    if isinstance(error, MemoryError):
        return too_little_memory(model)
    number = error.errno if isinstance(error, OSError) and not isinstance(error, ConnectionError) else None
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"the disk is full, so {model} cannot be stored: remove a model, or free some space"
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"{model} cannot be stored: let UNROLLED_HUB_CACHE name a folder that can be written to"
    return ""


def unreachable(model: str) -> str:
    """The sentence for a network that is down, slow, or cuts answers short."""
    return (
        f"{model} did not arrive from the Hub: check the connection and try again, or use a model that is "
        "here already"
    )


def damaged(file: str, model: str) -> str:
    """The sentence for a file that is not the one that was listed, though it may be as long."""
    return f"{file} of {model} arrived damaged and was deleted: try again"


def too_little_memory(model: str) -> str:
    """The sentence for a machine that a model does not fit into."""
    return f"{model} needs more memory than this machine has free: choose a smaller model"


def cancellation(model: str) -> HubCancelledError:
    """What is raised where nobody wants the model any more."""
    return HubCancelledError(f"{model} was cancelled: add it again whenever you like")
