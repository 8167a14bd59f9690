"""The purpose of a run, and the sentences that depend on it. Imports no torch, and reads no file."""

from __future__ import annotations

from enum import Enum

from models.errors import Message
from models.training.runs.status import LOST, STOPPED

STOPPED_EXPERIMENT = Message(
    "experiment_stopped", "Stopped on request. Resuming starts the experiment from the beginning."
)
LOST_EXPERIMENT = Message(
    "experiment_lost",
    "The process of this experiment ended without a message: it was killed, perhaps for lack of memory, "
    "or the machine went down. Resuming starts it from the beginning.",
)


class Work(str, Enum):
    """The purpose of a run."""

    TRAINING = "training"  # a checkpoint
    RETRAINING = "retraining"  # an experiment of `models.evaluation.retrain`: a result, and no checkpoint

    @property
    def stopped(self) -> Message:
        """The sentence for a run that was stopped."""
        return STOPPED if self is Work.TRAINING else STOPPED_EXPERIMENT

    @property
    def lost(self) -> Message:
        """The sentence for a run whose process ended without a message."""
        return LOST if self is Work.TRAINING else LOST_EXPERIMENT
