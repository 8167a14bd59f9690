"""The Hub as the page knows it: models that are here, and those that are worth adding."""

from __future__ import annotations

from pathlib import Path

from demo.service.hub.additions import Additions
from models.hub.listing.curated import CURATED, CuratedModel
from models.hub.settings import HubSettings
from models.hub.storage.store import HubStore


class Hub:
    """Everything lies on disk; a second server over the same folder sees the same models."""

    def __init__(self, settings: HubSettings, curated: tuple[CuratedModel, ...] = CURATED) -> None:
        self.settings = settings
        self.curated = curated
        self.store = HubStore(settings)
        self.additions = Additions(self.store)

    def names(self) -> tuple[str, ...]:
        """Every model that can be used; with `folder`, what a registry takes as its shelf."""
        return self.store.names()

    def folder(self, name: str) -> Path | None:
        """Where a model lies; a look at it does not count as using it, for every list takes one."""
        return None if self.store.source(name) is None else self.settings.root / name

    def use(self, name: str) -> None:
        """Note that a model is used, so that others make room before it does."""
        self.store.folder(name)

    @property
    def is_free(self) -> bool:
        """Whether visitors may add any model, and remove it again."""
        return self.settings.access == "any"
