"""The request for a training run: its recipe, owner and time, as a JSON file. Imports no torch."""

from __future__ import annotations

import hashlib
import re
import secrets
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.errors import Message
from models.records import conform

if TYPE_CHECKING:  # names and tokens of runs are checked where no recipe is read
    from models.training.recipe.config import TrainingConfig

RUN_ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?-[0-9a-f]{12}")
VISITOR_TOKEN = re.compile(r"[0-9a-f]{32}")
# The secret end of an id within a text.
SECRET_SUFFIX = re.compile(r"(?<=[a-z0-9])-[0-9a-f]{8}([0-9a-f]{4})(?![0-9a-z])")
EXPERIMENT_GONE = Message(
    "experiment_gone",
    "An earlier version made this experiment, a training without some pairs. Its result can still be read, "
    "but experiments are no longer part of the program, so it cannot be resumed.",
)
DEVICE_NAME = re.compile(r"[a-z]{1,12}(?::[0-9]{1,3})?")
MAX_SLUG_CHARACTERS, MAX_TITLE_CHARACTERS = 40, 80


def new_token() -> str:
    """A secret by which a visitor finds their own runs; 32 hexadecimal digits."""
    return secrets.token_hex(16)


def is_token(text: object) -> bool:
    """Whether a text may be a visitor's token."""
    return isinstance(text, str) and VISITOR_TOKEN.fullmatch(text) is not None


def owner_of(token: str) -> str:
    """The stored form of the token: its SHA-256, which does not reveal it."""
    if not is_token(token):
        raise ValueError("token must be 32 hexadecimal digits: take one from new_token()")
    return hashlib.sha256(token.encode()).hexdigest()


def new_run_id(title: str) -> str:
    """Make a readable id with a secret end. Whoever knows the id may watch, stop and resume the run."""
    ascii_title = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_title).strip("-")[:MAX_SLUG_CHARACTERS].strip("-") or "run"
    return f"{slug}-{secrets.token_hex(6)}"


def without_secrets(text: str, between: str = " · ") -> str:
    """Return the text with the secret end of each run's id shortened to four digits, after `between`."""
    return SECRET_SUFFIX.sub(lambda end: between + end[1], text)


@dataclass(frozen=True)
class RunRequest:
    """The immutable request of one run. Raises ValueError on an invalid id or device."""

    id: str
    title: str
    owner: str  # SHA-256 of the visitor's token
    created: float  # Unix time in seconds
    config: TrainingConfig
    device: str = "auto"  # "auto", "cpu", or a kind of GPU
    start: str = ""  # name of the checkpoint to fine-tune; "" = from scratch
    start_folder: str = ""  # the folder of that checkpoint
    data: str = ""  # the pairs in one sentence, for people
    data_folder: str = ""  # the folder of the recipe's files; "" = the run's own
    work: str = "training"  # older programs also wrote "retraining"

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not RUN_ID.fullmatch(self.id):
            raise ValueError("id must be that of a run: take one from new_run_id()")
        for item in fields(self):
            if item.name != "config":
                conform(item.name, getattr(self, item.name), float if item.name == "created" else str)
        if not DEVICE_NAME.fullmatch(self.device):
            raise ValueError(f"device must be auto or the name of one; got {str(self.device)[:40]!r}")

    @classmethod
    def new(
        cls,
        title: str,
        config: TrainingConfig,
        token: str,
        *,
        device: str = "auto",
        start: str = "",
        start_folder: Path | None = None,
        data: str = "",
    ) -> RunRequest:
        """Make a request with a new id, for the visitor with this token."""
        return cls(
            id=new_run_id(title),
            title=title.strip()[:MAX_TITLE_CHARACTERS] or config.name,
            owner=owner_of(token),
            created=time.time(),
            config=config,
            device=device,
            start=start,
            start_folder="" if start_folder is None else str(start_folder.absolute()),
            data=data,
        )

    @property
    def is_experiment(self) -> bool:
        """Whether an older program trained here without some pairs, which this one does not do."""
        return self.work != "training"

    def to_dict(self) -> dict[str, Any]:
        """The request as plain JSON types."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return values | {"config": self.config.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RunRequest:
        """The inverse of `to_dict`. Raises ValueError."""
        from models.training.recipe.config import TrainingConfig

        try:
            return cls(**{**data, "config": TrainingConfig.from_dict(data["config"])})
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"not the request of a run: {error}") from error
