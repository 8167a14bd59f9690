"""The models of the Hub on this machine. A model is added completely or not at all."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from filelock import Timeout

from models.errors import Message
from models.hub.download.fetch import DownloadProgress, Report, fetch
from models.hub.errors import HubError, cancellation, explain_local
from models.hub.listing.model_files import TRANSFORMERS_KIND, RepositoryListing
from models.hub.listing.repository import check_access, check_repo_id, check_revision, read_listing
from models.hub.settings import HubSettings
from models.hub.storage.preparation import make_ready
from models.hub.storage.work_folders import WorkFolders, check_disk, check_size, needed_bytes
from models.records import record
from models.registry.checkpoint import load_config
from models.sizes import folder_bytes, size_text
from models.whole_file import read_bytes

SOURCE_FILE = "source.json"  # the origin of a model; its modification time is the time of the last use


@dataclass(frozen=True)
class Source:
    """The origin of a model on disk."""

    repo_id: str
    revision: str  # the requested revision
    commit: str
    kind: str  # own or transformers
    bytes: int  # bytes on disk
    licence: str = ""  # the licence of its card on the Hub
    warnings: tuple[Mapping[str, Any], ...] = ()  # the messages of `output_check`, as dictionaries


class HubStore:
    """The folder of all models, which several threads and processes may use at once."""

    def __init__(self, settings: HubSettings) -> None:
        self.settings = settings
        self._root = settings.root
        self._work_folders = WorkFolders(settings.root)

    def names(self) -> tuple[str, ...]:
        """Every model that can be used, "owner/name", in alphabetical order."""
        result = (path.parent for path in self._root.glob(f"[!.]*/[!.]*/{SOURCE_FILE}"))
        return tuple(sorted(f"{path.parent.name}/{path.name}" for path in result))

    def folder(self, name: object) -> Path | None:
        """The folder of a model, or None if there is no such model. The call counts as a use of it."""
        folder = self._path(name)
        if folder is not None:
            with suppress(OSError):  # another user may own the cache
                os.utime(folder / SOURCE_FILE)
        return folder

    def source(self, name: object) -> Source | None:
        """The origin of a model, or None if there is no such model."""
        folder = self._path(name)
        try:
            if folder is None:
                return None
            data = json.loads(read_bytes(folder / SOURCE_FILE))
            for warning in data.get("warnings", ()):
                Message.from_dict(warning)
            return record(Source, {**data, "warnings": tuple(data.get("warnings", ()))})
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return None

    def add(
        self,
        repo_id: str,
        revision: str = "main",
        progress: Report | None = None,
        cancelled: threading.Event | None = None,
    ) -> str:
        """Fetch, check, convert and try a model, and return its name. If it raises HubError, nothing is left.

        A model that is here at that revision, or at any revision for "main", is used without a request. A
        second caller that adds the same model waits for the first.
        """
        name, revision = check_repo_id(repo_id), check_revision(revision)
        report, stop = progress or (lambda _: None), cancelled or threading.Event()
        if self._has(name, revision):
            return name
        check_access(name, self.settings)
        try:
            with self._work_folders.lock_model(name, report, stop):
                if not self._has(name, revision):  # another process may have added it meanwhile
                    self._add(name, revision, report, stop)
        except OSError as error:
            not_stored = Message("hub_not_stored", "{model} cannot be stored: try again", model=name)
            raise HubError(explain_local(error, name) or not_stored) from error
        return name

    def remove(self, name: object) -> None:
        """Delete a model. Raises HubError if there is no such model, or if it is being added."""
        folder = self._path(name)
        if folder is None:
            raise HubError(
                "hub_model_not_here",
                "there is no model {name} here: choose one of those that are listed",
                name=repr(str(name)[:80]),
            )
        try:
            with self._work_folders.lock(str(name)):
                self._work_folders.discard(str(name), folder)
        except Timeout:
            raise HubError(
                "hub_model_busy", "{model} is being added: cancel that, or try again later", model=name
            ) from None
        except OSError as error:
            raise HubError(
                "hub_model_not_removed",
                "{model} cannot be removed: delete its folder in the cache by hand",
                model=name,
            ) from error

    def _has(self, name: str, revision: str) -> bool:
        result = self.source(name)
        return result is not None and revision in ("main", result.revision, result.commit)

    def _path(self, name: object) -> Path | None:
        try:
            repo_id = check_repo_id(name)
        except HubError:
            return None
        folder = self._root.joinpath(*repo_id.split("/"))
        return folder if repo_id == name and (folder / SOURCE_FILE).is_file() else None

    def _add(self, name: str, revision: str, report: Report, stop: threading.Event) -> None:
        self._work_folders.sweep(name)
        report(DownloadProgress("looking"))
        listing = read_listing(name, revision, self.settings)
        if listing.kind == TRANSFORMERS_KIND and find_spec("transformers") is None:
            raise HubError(
                "transformers_missing",
                "{model} needs the transformers library: pip install -r requirements-hub.txt",
                model=name,
            )
        check_size(listing, self.settings)
        with self._work_folders.work_folder(
            name, needed_bytes(listing), lambda: self._make_room(listing)
        ) as work:
            check_disk(listing, work)
            fetch(listing, work, self.settings, report, stop)
            model = work / "model"
            make_ready(listing, work / "files", model, report, stop)
            warnings = tuple(load_config(model).network.get("warnings", ()))
            size = folder_bytes(model)
            source = Source(name, revision, listing.commit, listing.kind, size, listing.licence, warnings)
            (model / SOURCE_FILE).write_text(json.dumps(asdict(source), indent=2) + "\n", encoding="utf-8")
            if stop.is_set():
                raise cancellation(name)
            self._install(name, model)

    def _install(self, name: str, model: Path) -> None:
        target = self._root.joinpath(*name.split("/"))
        if target.exists():  # it has another revision
            self._work_folders.discard(name, target)
        target.parent.mkdir(parents=True, exist_ok=True)
        model.rename(target)

    def _make_room(self, listing: RepositoryListing) -> None:
        """Remove the models unused for longest until the new one fits. Raises HubError if it cannot."""
        total = self.settings.total_bytes
        if not total:
            return
        stored = {name: source.bytes for name in self.names() if (source := self.source(name))}
        stored.pop(listing.repo_id, None)  # another revision, which the new one will replace
        excess = sum(stored.values()) + self._work_folders.reserved_bytes() + needed_bytes(listing) - total
        last_use = {name: self._last_use(name) for name in stored}
        idle = [name for name in stored if time.time() - last_use[name] > self.settings.idle]
        if excess > sum(stored[name] for name in idle):
            raise HubError(
                "hub_no_room",
                "there is no room for {model}: all models together may take {limit}, and those in "
                "use leave too little; remove one, or try again in an hour",
                model=listing.repo_id,
                limit=size_text(total),
            )
        for name in sorted(idle, key=lambda name: last_use[name]):
            if excess > 0:
                with suppress(HubError):  # it is in use: another revision of it is being added
                    self.remove(name)
                    excess -= stored[name]

    def _last_use(self, name: str) -> float:
        try:
            return (self._root / name / SOURCE_FILE).stat().st_mtime
        except OSError:
            return 0.0
