"""Uploads a trained checkpoint to a visitor's repository on the Hub, private by default.

Its card is followed by how to load it. The visitor's token is used for these requests only. No error, log or
result contains it.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from models.environment import read
from models.errors import Message
from models.hub.errors import TOO_MANY_REQUESTS, HubError, explain_local, status_of, within
from models.hub.listing.model_files import NATIVE_EXTRAS, NATIVE_FILES
from models.hub.listing.repository import check_repo_id
from models.hub.settings import HubSettings
from models.registry.card import CARD, CheckpointError, read_header
from models.registry.checkpoint import load_config
from models.sizes import folder_bytes

if TYPE_CHECKING:
    from huggingface_hub import HfApi

ACCESS_TOKEN = re.compile(r"[!-~]{8,500}")  # the characters that an HTTP header may have
TOKENS_PAGE = "huggingface.co/settings/tokens"
GIT_FILE = ".gitattributes"
HTTP_UNAUTHORIZED, HTTP_FORBIDDEN = 401, 403
MIN_PUSH_BYTES_PER_SECOND = 50_000  # a slower push is given up
HEADING = "## Load it"
LOADING_TEXT = f"""
{HEADING}

```python
from models.hub.pretrained import from_pretrained
checkpoint = from_pretrained("REPO_ID")
```

in a copy of the program; or type `REPO_ID` into its Checkpoints tab, and watch it decode.
"""


@dataclass(frozen=True)
class PushedCheckpoint:
    """The location of a checkpoint on the Hub."""

    url: str
    commit: str
    private: bool


def push(
    folder: Path, repo_id: str, token: str, private: bool = True, settings: HubSettings | None = None
) -> PushedCheckpoint:
    """Upload a checkpoint in our own format, with `card_for_hub`. Raises HubError.

    An existing repository must be private or public as requested, and hold nothing but a checkpoint.
    """
    repo_id = check_repo_id(repo_id)
    settings = settings or read(HubSettings)
    if settings.access == "off":
        raise HubError(
            "push_hub_off",
            "this server does not talk to the Hub: download the checkpoint and push it yourself",
        )
    if not ACCESS_TOKEN.fullmatch(token or ""):  # the library would then use the server's token
        raise HubError(
            "push_token_missing",
            "a token is needed to push: make one that may write at {page} and copy all of it",
            page=TOKENS_PAGE,
        )
    files = _files(folder)
    from huggingface_hub import HfApi

    api = HfApi(endpoint=settings.endpoint, token=token)
    try:
        within(settings.timeout, lambda: _prepare(api, repo_id, private))
        with tempfile.TemporaryDirectory() as temporary:
            staged = Path(temporary)
            for name in files:
                shutil.copyfile(folder / name, staged / name)
            (staged / CARD).write_text(card_for_hub(folder, repo_id), encoding="utf-8")
            commit = within(
                settings.timeout + folder_bytes(staged) / MIN_PUSH_BYTES_PER_SECOND,
                lambda: api.upload_folder(
                    repo_id=repo_id, folder_path=staged, commit_message="Push a checkpoint of Unrolled"
                ),
            )
    except HubError:
        raise
    except Exception as error:
        # Not the cause: the request of the error has the token in a header.
        raise HubError(_explain(error, repo_id)) from None
    return PushedCheckpoint(f"{api.endpoint}/{repo_id}", commit.oid, private)


def _files(folder: Path) -> tuple[str, ...]:
    try:
        load_config(folder)
    except CheckpointError as error:
        raise HubError(
            "push_no_checkpoint",
            "this is not a checkpoint: its {file} {problem}; choose another",
            file=error.file,
            problem=error.problem,
        ) from error
    missing = [name for name in NATIVE_FILES if not (folder / name).is_file() and name != CARD]
    if missing:
        raise HubError(
            "push_not_trained_here",
            "only checkpoints that were trained here can be pushed; this one lacks {files}: choose another",
            files=", ".join(missing),
        )
    return tuple(name for name in (*NATIVE_FILES, *NATIVE_EXTRAS) if (folder / name).is_file())


def _prepare(api: HfApi, repo_id: str, private: bool) -> None:
    """Create the repository, or check that the existing one may be written to."""
    from huggingface_hub.errors import HfHubHTTPError

    try:
        api.create_repo(repo_id, private=private)
        return
    except HfHubHTTPError as error:
        if error.response.status_code != 409:  # it is there
            raise
    info = api.model_info(repo_id)
    if bool(info.private) != private:
        if info.private:
            raise HubError(
                "push_to_private",
                "{model} already exists and is private, not public: choose another name, or change that on "
                "its page",
                model=repo_id,
            )
        raise HubError(
            "push_to_public",
            "{model} already exists and is public, not private: choose another name, or change that on its "
            "page",
            model=repo_id,
        )
    other_files = {file.rfilename for file in info.siblings or ()} - {*NATIVE_FILES, *NATIVE_EXTRAS, GIT_FILE}
    if other_files:
        raise HubError(
            "push_other_files",
            "{model} holds other things, such as {file}, which a checkpoint would mix with: "
            "choose another name",
            model=repo_id,
            file=min(other_files)[:60],
        )


def _explain(error: Exception, repo_id: str) -> Message:
    status = status_of(error)
    if status == HTTP_UNAUTHORIZED:
        return Message(
            "push_token_unknown",
            "the Hub does not know this token: make one that may write at {page}",
            page=TOKENS_PAGE,
        )
    if status == HTTP_FORBIDDEN:
        return Message(
            "push_forbidden",
            "this token may not write to {model}: make one that may at {page}, and push to an account that "
            "is yours",
            model=repo_id,
            page=TOKENS_PAGE,
        )
    if status == TOO_MANY_REQUESTS:
        return Message("push_hub_busy", "the Hub asks to wait: push again in some minutes")
    if status is not None:
        return Message(
            "push_refused",
            "the Hub refuses the push to {model} (error {status}): try again later",
            model=repo_id,
            status=status,
        )
    return explain_local(error, repo_id) or Message(
        "push_hub_unreachable",
        "{model} could not be pushed, for the Hub cannot be reached: check the connection and push again",
        model=repo_id,
    )


def card_for_hub(folder: Path, repo_id: str) -> str:
    """The README.md of `repo_id`: the completed header, the text, and how to load it.

    Raises HubError if the card cannot be read.
    """
    repo_id = check_repo_id(repo_id)
    try:
        header, body = read_header(folder)
        if not isinstance(header, Mapping):
            raise ValueError("the header is not a mapping")
    except (OSError, ValueError) as error:
        raise HubError(
            "push_without_card",
            "this checkpoint has no {file} that can be read: finish its training first",
            file=CARD,
        ) from error
    metadata = yaml.safe_dump(_metadata(header), sort_keys=False, allow_unicode=True)
    body = body.split(f"\n{HEADING}\n")[0].rstrip()  # a checkpoint from the Hub has these lines already
    return f"---\n{metadata}---\n{body}\n{LOADING_TEXT.replace('REPO_ID', repo_id)}"


def _metadata(header: Mapping[str, Any]) -> dict[str, Any]:
    """The header with the keys by which the Hub sorts: the program, and the task of translation."""
    tags = [tag for tag in header.get("tags") or () if isinstance(tag, str)]
    entries = header.get("unrolled")
    translates = isinstance(entries, Mapping) and entries.get("task") in ("translation", "files")
    result = {"license": "other", "library_name": "unrolled", **header}
    if translates:
        result.setdefault("pipeline_tag", "translation")
    return {**result, "tags": list(dict.fromkeys([*tags, "unrolled", "seq2seq"]))}
