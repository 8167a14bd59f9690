"""What a page shows of the Hub at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from demo.i18n import tell
from demo.service.hub.hub import Hub
from demo.service.hub.wishes import AllWishes
from models.errors import Message
from models.hub.download.progress import DownloadProgress
from models.hub.listing.model_files import RepositoryListing
from models.hub.storage.store import Source


@dataclass(frozen=True)
class HubState:
    """For one visitor; names are those of repositories."""

    serial: int  # later states have larger ones
    here: Mapping[str, Source]
    adding: Mapping[str, DownloadProgress]
    problems: Mapping[str, str]  # why a model was not added, or what looks broken about one that was
    looked: RepositoryListing | str | None = None  # what the field found; a sentence says why it did not


def state_of(hub: Hub, wishes: AllWishes, session: str) -> HubState:
    """As it is now."""
    serial = wishes.serial()
    mine = wishes.of(session)
    here = {name: source for name in hub.store.names() if (source := hub.store.source(name)) is not None}
    adding = {name: addition.progress for name, addition in mine.adding.items()}
    problems = {name: warned for name, source in here.items() if (warned := _warned(source))}
    return HubState(serial, here, adding, problems | dict(mine.problems), mine.looked)


def _warned(source: Source) -> str:
    """What looked broken about a model when it was added; "" of a sound one."""
    return " ".join(tell(Message.from_dict(warning)) for warning in source.warnings)
