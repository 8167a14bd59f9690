"""The state of the Hub that a page shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from demo.i18n import message_text
from demo.service.hub.hub import Hub
from demo.service.hub.visitors import HubVisitors
from models.errors import Message
from models.hub.download.progress import DownloadProgress
from models.hub.listing.model_files import RepositoryListing
from models.hub.storage.store import Source


@dataclass(frozen=True)
class HubState:
    """The state for one visitor, by name of repository."""

    serial: int  # grows with each state
    here: Mapping[str, Source]
    adding: Mapping[str, DownloadProgress]
    problems: Mapping[str, str]  # why a model was not added, or what looks broken in one that was
    listing: RepositoryListing | str | None = None  # the listing, see `VisitorHub`


def state_of(hub: Hub, wishes: HubVisitors, session: str) -> HubState:
    """The current state."""
    serial = wishes.serial()
    mine = wishes.visitor(session)
    sources = {name: source for name in hub.store.names() if (source := hub.store.source(name)) is not None}
    adding = {name: addition.progress for name, addition in mine.adding.items()}
    problems = {name: warning for name, source in sources.items() if (warning := _warning(source))}
    return HubState(serial, sources, adding, problems | dict(mine.problems), mine.listing)


def _warning(source: Source) -> str:
    """A sentence about what looked broken when the model was added; "" for a sound model."""
    return " ".join(message_text(Message.from_dict(item)) for item in source.warnings)
