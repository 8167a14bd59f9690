"""The status of a run: its state, and the sentence for it. Imports no torch, and reads no file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from enum import Enum
from typing import Any

from models.errors import Message, brief, with_parts, without_parts
from models.records import record

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
