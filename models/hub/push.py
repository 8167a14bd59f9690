"""Puts a trained checkpoint into somebody's repository on the Hub, private unless they say otherwise.

The token is theirs, used for these requests and kept nowhere: no error, log or result holds it.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from models.hub.card import card_for_hub
from models.hub.errors import HubError, explain_local
from models.hub.listing import OWN_EXTRAS, OWN_FILES
from models.hub.repository import check_repo_id
from models.hub.settings import HubSettings
from models.hub.waiting import within
from models.registry.card import CARD, CheckpointError
from models.registry.checkpoint import load_config

if TYPE_CHECKING:
    from huggingface_hub import HfApi

TOKEN = re.compile(r"[!-~]{8,500}")  # what a header of HTTP may hold
TOKENS_PAGE = "huggingface.co/settings/tokens"
GIT = ".gitattributes"
SLOWEST = 50_000  # bytes a second, below which a push is given up


@dataclass(frozen=True)
class PushedCheckpoint:
    """Where a checkpoint is now."""

    url: str
    commit: str
    private: bool


def push(
    folder: Path, repo_id: str, token: str, private: bool = True, settings: HubSettings | None = None
) -> PushedCheckpoint:
    """Upload a checkpoint in our own format, with `card_for_hub`. Raises HubError.

    A repository that is there must be as private as asked for and hold nothing but a checkpoint.
    """
    repo_id = check_repo_id(repo_id)
    settings = settings or HubSettings.from_environment()
    if settings.access == "off":
        raise HubError("this server does not talk to the Hub: download the checkpoint and push it yourself")
    if not TOKEN.fullmatch(token or ""):  # without one, the library would take the server's
        raise HubError(
            f"a token is needed to push: make one that may write at {TOKENS_PAGE} and copy all of it"
        )
    files = _files(folder)
    from huggingface_hub import HfApi

    api = HfApi(endpoint=settings.endpoint, token=token)
    try:
        within(settings.patience, lambda: _prepare(api, repo_id, private))
        with tempfile.TemporaryDirectory() as place:
            staged = Path(place)
            for name in files:
                shutil.copyfile(folder / name, staged / name)
            (staged / CARD).write_text(card_for_hub(folder, repo_id), encoding="utf-8")
            limit = settings.patience + sum(path.stat().st_size for path in staged.iterdir()) / SLOWEST
            done = within(
                limit,
                lambda: api.upload_folder(
                    repo_id=repo_id, folder_path=staged, commit_message="Push a checkpoint of Unrolled"
                ),
            )
    except HubError:
        raise
    except Exception as error:
        raise HubError(_explain(error, repo_id)) from None  # its request has the token in a header
    return PushedCheckpoint(f"{api.endpoint}/{repo_id}", done.oid, private)


def _files(folder: Path) -> tuple[str, ...]:
    try:
        load_config(folder)
    except CheckpointError as error:
        raise HubError(f"this is no checkpoint: its {error.file} {error.problem}; choose another") from error
    missing = [name for name in OWN_FILES if not (folder / name).is_file() and name != CARD]
    if missing:
        raise HubError(
            f"only checkpoints that were trained here can be pushed; this one lacks {', '.join(missing)}: "
            "choose another"
        )
    return tuple(name for name in (*OWN_FILES, *OWN_EXTRAS) if (folder / name).is_file())


def _prepare(api: HfApi, repo_id: str, private: bool) -> None:
    """A repository that may be written to; a new one unless it is there."""
    from huggingface_hub.errors import HfHubHTTPError

    try:
        api.create_repo(repo_id, private=private)
        return
    except HfHubHTTPError as error:
        if error.response.status_code != 409:  # it is there
            raise
    info = api.model_info(repo_id)
    if bool(info.private) != private:
        now, wanted = ("private", "public") if info.private else ("public", "private")
        raise HubError(
            f"{repo_id} is there and {now}, not {wanted}: choose another name, or change that on its page"
        )
    others = {file.rfilename for file in info.siblings or ()} - {*OWN_FILES, *OWN_EXTRAS, GIT}
    if others:
        raise HubError(
            f"{repo_id} holds other things, such as {min(others)[:60]}, which a checkpoint would mix with: "
            "choose another name"
        )


def _explain(error: Exception, repo_id: str) -> str:
    from huggingface_hub.errors import HfHubHTTPError

    status = error.response.status_code if isinstance(error, HfHubHTTPError) else None
    if status == 401:
        return f"the Hub does not know this token: make one that may write at {TOKENS_PAGE}"
    if status == 403:
        return (
            f"this token may not write to {repo_id}: make one that may at {TOKENS_PAGE}, and push to an "
            "account that is yours"
        )
    if status == 429:
        return "the Hub asks to wait: push again in some minutes"
    if status is not None:
        return f"the Hub refuses the push to {repo_id} (error {status}): try again later"
    return explain_local(error, repo_id) or (
        f"{repo_id} could not be pushed, for the Hub cannot be reached: check the connection and push again"
    )
