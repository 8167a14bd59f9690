"""The Hub as the page shows it: models on this server, being added, and worth adding."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from demo.i18n import message_text
from demo.work.hub.additions import Additions
from models.errors import Message
from models.hub.download.fetch import DownloadProgress
from models.hub.listing.curated import CURATED_MODELS, CuratedModel
from models.hub.listing.model_files import RepositoryListing
from models.hub.settings import HubSettings
from models.hub.storage.store import HubStore, Source


@dataclass(frozen=True)
class HubState:
    """The state for one visitor, by name of repository."""

    serial: int  # grows with each state, since answers may overtake each other
    here: Mapping[str, Source]
    adding: Mapping[str, DownloadProgress]
    problems: Mapping[str, str]  # why a model was not added, or what looks broken in one that was
    listing: RepositoryListing | str | None = None  # the listing, see `HubVisitor`


class Hub:
    """The models of one folder; a second server over the same folder sees the same."""

    def __init__(self, settings: HubSettings, curated: tuple[CuratedModel, ...] = CURATED_MODELS) -> None:
        self.settings = settings
        self.curated = curated
        self.store = HubStore(settings)
        self.additions = Additions(self.store)
        self._serials = count(time.time_ns() // 1000)  # larger than those of an earlier server

    def names(self) -> tuple[str, ...]:
        """All usable models; with `folder`, the `hub_models` of a registry."""
        return self.store.names()

    def folder(self, name: str) -> Path | None:
        """The folder of a model. This does not count as use, since every list calls it."""
        return None if self.store.source(name) is None else self.settings.root / name

    def use(self, name: str) -> None:
        """Note that a model is used, so that others are removed before it."""
        self.store.folder(name)

    def state(self, session: str) -> HubState:
        """The current state for a visitor."""
        serial, visitor = next(self._serials), self.additions.visitor(session)
        adding = self.additions.progress(session)  # before the names, or a new model could be in neither
        sources = {name: source for name in self.names() if (source := self.store.source(name)) is not None}
        warnings = {name: warning for name, source in sources.items() if (warning := _warning(source))}
        return HubState(serial, sources, adding, warnings | visitor.problems, visitor.listing)

    @property
    def is_free(self) -> bool:
        """Whether visitors may add any model, and remove it again."""
        return self.settings.access == "any"


def _warning(source: Source) -> str:
    """A sentence about what looked broken when the model was added; "" for a sound model."""
    return " ".join(message_text(Message.from_dict(item)) for item in source.warnings)
