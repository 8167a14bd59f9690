"""The Hub as the page shows it: models on this server, and models worth adding."""

from __future__ import annotations

from pathlib import Path

from demo.service.hub.additions import Additions
from models.hub.listing.curated import CURATED_MODELS, CuratedModel
from models.hub.settings import HubSettings
from models.hub.storage.store import HubStore


class Hub:
    """The models of one folder; a second server over the same folder sees the same."""

    def __init__(self, settings: HubSettings, curated: tuple[CuratedModel, ...] = CURATED_MODELS) -> None:
        self.settings = settings
        self.curated = curated
        self.store = HubStore(settings)
        self.additions = Additions(self.store)

    def names(self) -> tuple[str, ...]:
        """All usable models; with `folder`, the `hub_models` of a registry."""
        return self.store.names()

    def folder(self, name: str) -> Path | None:
        """The folder of a model. This does not count as use, since every list calls it."""
        return None if self.store.source(name) is None else self.settings.root / name

    def use(self, name: str) -> None:
        """Note that a model is used, so that others are removed before it."""
        self.store.folder(name)

    @property
    def is_free(self) -> bool:
        """Whether visitors may add any model, and remove it again."""
        return self.settings.access == "any"
