"""Queries about a repository of the Hub: its commit, and the files that would be fetched.

No account is used: a visitor must not read with the rights of the operator.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from models.environment import read
from models.hub import errors
from models.hub.errors import HubError, within
from models.hub.listing.curated import CURATED_MODELS
from models.hub.listing.model_files import CHOOSE_ANOTHER, RepositoryFile, RepositoryListing, choose
from models.hub.settings import HubSettings
from models.registry.checkpoint import CONFIG
from models.sizes import size_text

if TYPE_CHECKING:
    from huggingface_hub import HfApi, ModelInfo

_MODEL_URL = re.compile(r"https://(?:huggingface\.co|hf\.co)/")
_NAME_PART = r"[A-Za-z0-9](?:[\w.-]*\w)?"
_REPO_ID = re.compile(rf"{_NAME_PART}/{_NAME_PART}", re.ASCII)
COMMIT = re.compile(r"[0-9a-f]{40}")
DIGEST = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
MAX_REPO_ID_CHARACTERS = 96  # the Hub's limit
MAX_FILES, MAX_CONFIG_BYTES = 2000, 1 << 20


def check_repo_id(text: object) -> str:
    """The name "owner/name" in a text, which may be the address of its page. Raises HubError."""
    beginning = str(text)[:80]
    repo_id = _MODEL_URL.sub("", text.strip()).rstrip("/") if isinstance(text, str) else ""
    if (
        len(repo_id) > MAX_REPO_ID_CHARACTERS
        or not _REPO_ID.fullmatch(repo_id)
        or any(bad in repo_id for bad in ("--", ".."))
        or repo_id.endswith((".git", ".ipynb"))
    ):
        raise HubError(
            "no_model_name",
            "{name} is not a name of a model on the Hub: write it as owner/name, as on its page",
            name=repr(beginning),
        )
    return repo_id


def check_revision(text: object) -> str:
    """Return a branch, a tag or a commit; "main" if the text is empty. Raises HubError."""
    revision = (text.strip() or "main") if isinstance(text, str) else ""
    if not re.fullmatch(r"\w[\w./-]{0,99}", revision, re.ASCII) or ".." in revision:
        raise HubError(
            "no_revision",
            "{name} is not a revision: write a branch, a tag or a commit, or leave it out",
            name=repr(str(text)[:80]),
        )
    return revision


def check_access(repo_id: str, settings: HubSettings) -> None:
    """Raise HubError for a model that the operator does not let visitors fetch."""
    if settings.access == "off":
        raise HubError("hub_off", "this server fetches nothing from the Hub: choose one of its own models")
    if settings.access == "curated" and repo_id not in {model.repo_id for model in CURATED_MODELS}:
        raise HubError(
            "hub_not_listed",
            "this server fetches only the models that it lists, and {model} is not one of them: "
            "choose a listed one, or run the app yourself",
            model=repo_id,
        )


def read_listing(
    repo_id: str, revision: str = "main", settings: HubSettings | None = None
) -> RepositoryListing:
    """The listing at the current commit of `revision`. Raises HubError within seconds."""
    settings = settings or read(HubSettings)
    repo_id, revision = check_repo_id(repo_id), check_revision(revision)
    check_access(repo_id, settings)
    try:
        return within(settings.timeout, lambda: _listing(repo_id, revision, settings))
    except HubError:
        raise
    except TimeoutError as error:
        raise HubError(errors.unreachable(repo_id)) from error
    except Exception as error:
        raise HubError(errors.explain(error, repo_id)) from error


def _listing(repo_id: str, revision: str, settings: HubSettings) -> RepositoryListing:
    from huggingface_hub import HfApi

    api = HfApi(endpoint=settings.endpoint, token=False)
    info = api.model_info(repo_id, revision=revision, timeout=settings.timeout)
    commit = info.sha or ""
    if not COMMIT.fullmatch(commit):
        raise HubError(
            "hub_no_commit", "the Hub does not say at which commit {model} is: try again later", model=repo_id
        )
    if info.gated:
        raise HubError(errors.gated_error(repo_id))
    present = _present(api, repo_id, commit)
    config = _config(api, repo_id, commit, present)
    kind, names, weights = choose(repo_id, config, present)
    return RepositoryListing(
        repo_id=repo_id,
        commit=commit,
        kind=kind,
        files=tuple(present[name] for name in names),
        weights=weights,
        model_type=str(config.get("model_type", "")),
        licence=_licence(info),
        languages=_languages(info),
    )


def _present(api: HfApi, repo_id: str, commit: str) -> Mapping[str, RepositoryFile]:
    """The files of the top folder; no others are used."""
    from huggingface_hub import RepoFile

    result = {}
    for entry in islice(api.list_repo_tree(repo_id, revision=commit), MAX_FILES):
        if isinstance(entry, RepoFile):
            digest, size = (entry.lfs.sha256, entry.lfs.size) if entry.lfs else (entry.blob_id, entry.size)
            if DIGEST.fullmatch(digest):
                result[entry.path] = RepositoryFile(entry.path, size, digest)
    return result


def _config(
    api: HfApi, repo_id: str, commit: str, present: Mapping[str, RepositoryFile]
) -> Mapping[str, Any]:
    from huggingface_hub import hf_hub_url
    from huggingface_hub.utils import build_hf_headers, get_session, hf_raise_for_status  # type: ignore[attr-defined]

    file = present.get(CONFIG)
    if file is None:
        raise HubError(
            "hub_no_config",
            "{model} has no {file}, so it is not a model that can be used here: {remedy}",
            model=repo_id,
            file=CONFIG,
            remedy=CHOOSE_ANOTHER,
        )
    if file.size > MAX_CONFIG_BYTES:
        raise HubError(
            "hub_config_too_large",
            "{model} has a {file} of {size}, and at most {limit} is read: {remedy}",
            model=repo_id,
            file=CONFIG,
            size=size_text(file.size),
            limit=size_text(MAX_CONFIG_BYTES),
            remedy=CHOOSE_ANOTHER,
        )
    url = hf_hub_url(repo_id, CONFIG, revision=commit, endpoint=api.endpoint)
    # `hf_hub_download` would try for half a minute before it reports that the Hub is busy.
    response = get_session().get(url, headers=build_hf_headers(token=False), follow_redirects=True)
    hf_raise_for_status(response)
    if not file.equals(response.content):
        raise HubError(errors.damaged_file_error(CONFIG, repo_id))
    try:
        config = json.loads(response.content.decode())
    except (ValueError, RecursionError) as error:
        raise HubError(errors.unreadable(CONFIG, repo_id, CHOOSE_ANOTHER)) from error
    if not isinstance(config, Mapping):
        raise HubError(
            "hub_config_no_model",
            "{model} has a {file} that does not describe a model: {remedy}",
            model=repo_id,
            file=CONFIG,
            remedy=CHOOSE_ANOTHER,
        )
    return config


def _licence(info: ModelInfo) -> str:
    licence = info.card_data.get("license") if info.card_data else None
    return licence[:80] if isinstance(licence, str) else ""


def _languages(info: ModelInfo) -> tuple[str, ...]:
    result = info.card_data.get("language") if info.card_data else None
    several = result if isinstance(result, list) else [result]
    return tuple(language[:20] for language in several if isinstance(language, str))
