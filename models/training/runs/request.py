"""The request for a training run, with its recipe, owner and time, and the status of the run; both as JSON.

Imports no torch, and reads no file.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.errors import Message, brief, with_parts, without_parts
from models.records import conform, record

if TYPE_CHECKING:  # names and tokens of runs are checked where no recipe is read
    from models.training.recipe.config import TrainingConfig


STARTING = Message("starting", "Starting.")
GETTING_READY = Message("getting_ready", "Getting ready.")
TRAINING = Message("training", "Training.")
SAVING = Message("saving", "Saving, then stopping.")
STOPPED = Message("stopped", "Stopped on request. Everything is saved; resume to go on.")
STOPPED_WAITING = Message("stopped_waiting", "Stopped while it waited for the device; resume to queue again.")
LOST = Message(
    "lost",
    "The process ended without a message: it was killed, perhaps for lack of memory, or the "
    "machine went down. Resume to go on from the last saved step.",
)
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


def out_of_time(minutes: int) -> Message:
    """The reason why a run stops that has used up its time."""
    return Message(
        "out_of_time",
        "The run has used the {minutes} min that this server allows. Everything is saved.",
        minutes=minutes,
    )


def finished_sentence(steps: int) -> Message:
    """The sentence for a finished run."""
    return Message("finished", "Finished after {count} steps.", count=f"{steps:,}")


class RunState(str, Enum):
    """The state of a run."""

    QUEUED = "queued"
    RUNNING = "running"
    STOPPING = "stopping"  # asked to stop, and still saving
    STOPPED = "stopped"
    FINISHED = "finished"
    FAILED = "failed"
    LOST = "lost"  # its process ended without a message
    DAMAGED = "damaged"  # its request cannot be read, so that it can only be removed

    @property
    def is_active(self) -> bool:
        """Whether the run waits for a device, trains, or saves before it stops."""
        return self in (RunState.QUEUED, RunState.RUNNING, RunState.STOPPING)

    @property
    def can_resume(self) -> bool:
        """Whether the run ended before it was finished, so that it can be resumed."""
        return self in (RunState.STOPPED, RunState.FAILED, RunState.LOST)


@dataclass(frozen=True)
class RunStatus:
    """The last status that the process of a run has written."""

    state: RunState
    heartbeat: float  # Unix time in seconds
    pid: int = 0
    step: int = 0
    message: str = ""  # one sentence; a Message, unless it is from an older program or an error of another
    seconds: float = 0.0  # seconds in which the run had the device, earlier parts included
    queued_since: float = 0.0  # Unix time in seconds
    owner: str = ""  # the visitor still finds the run if its request is damaged

    def to_json(self) -> str:
        """One JSON object."""
        return json.dumps(with_parts({**asdict(self), "state": self.state.value}), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> RunStatus:
        """The inverse of `to_json`. Raises ValueError."""
        try:
            data: dict[str, Any] = without_parts(json.loads(text))
            names = {item.name for item in fields(cls)}
            values = {name: value for name, value in data.items() if name in names}
            return record(cls, {**values, "state": RunState(data["state"])})
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
            raise ValueError(f"not a status: {brief(text)}") from error
