"""What a run says of itself: where it is in its life, and the sentence for it. Knows no torch and no disk."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from enum import Enum
from typing import Any

from models.errors import Message, brief, with_parts, without_parts

STARTING = Message("starting", "Starting.")
GETTING_READY = Message("getting_ready", "Getting ready.")
TRAINING = Message("training", "Training.")
SAVING = Message("saving", "Saving, then stopping.")
STOPPED = Message("stopped", "Stopped as asked; everything is saved, so it can go on.")
STOPPED_WAITING = Message("stopped_waiting", "Stopped while it waited for the device; resume to queue again.")
LOST = Message(
    "lost",
    "The process ended without a word: it was killed, perhaps for want of memory, or the machine went down. "
    "Resume to go on from the last saved step.",
)


def out_of_time(minutes: int) -> Message:
    """Why a run stops that has had all its time."""
    return Message(
        "out_of_time",
        "This server gives a run {minutes} min, and they are over. Everything is saved.",
        minutes=minutes,
    )


def finished(steps: int) -> Message:
    """What a run did that came to its end."""
    return Message("finished", "Finished after {count} steps.", count=f"{steps:,}")


class RunState(str, Enum):
    """Where a run is in its life."""

    QUEUED = "queued"
    RUNNING = "running"
    STOPPING = "stopping"  # asked to stop, and still saving
    STOPPED = "stopped"
    FINISHED = "finished"
    FAILED = "failed"
    LOST = "lost"  # its process is gone and said nothing

    @property
    def is_active(self) -> bool:
        """Whether a process is at it."""
        return self in (RunState.QUEUED, RunState.RUNNING, RunState.STOPPING)

    @property
    def can_resume(self) -> bool:
        """Whether there is something left to do and nobody who does it."""
        return self in (RunState.STOPPED, RunState.FAILED, RunState.LOST)


@dataclass(frozen=True)
class Status:
    """What the process at a run last said of itself."""

    state: RunState
    heartbeat: float  # Unix time in seconds
    pid: int = 0
    step: int = 0
    message: str = ""  # one sentence; a Message unless an older program wrote it, or another's error
    seconds: float = 0.0  # in which the run had the device, earlier parts included
    queued_since: float = 0.0  # Unix time in seconds

    def to_json(self) -> str:
        """One JSON object."""
        return json.dumps(with_parts({**asdict(self), "state": self.state.value}), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Status:
        """The inverse of `to_json`. Raises ValueError."""
        try:
            data: dict[str, Any] = without_parts(json.loads(text))
            names = {item.name for item in fields(cls)}
            known = {name: value for name, value in data.items() if name in names}
            return cls(**{**known, "state": RunState(data["state"])})
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a status: {brief(text)}") from error
