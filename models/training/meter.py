"""What happened since the last report of a run."""

from __future__ import annotations

import time

import torch
from torch import Tensor

from models.training.events import StepCompleted
from models.training.state import Progress


class Meter:
    """Means over some steps; the device is asked for numbers only when they are reported."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.losses: list[Tensor] = []
        self.restart()

    def restart(self) -> None:
        """Forget what was measured, and start the clock anew."""
        self.losses, self.norms = [], list[Tensor]()
        self.tokens, self.since = 0, time.perf_counter()

    def add(self, loss: Tensor, norm: Tensor, tokens: int) -> None:
        """One step: loss and gradient norm () on the device, and its target tokens."""
        self.losses.append(loss)
        self.norms.append(norm)
        self.tokens += tokens

    def report(self, progress: Progress, rate: float) -> StepCompleted:
        """The means; adds the time to the run's and starts anew."""
        loss, norm = (torch.stack(values).mean().item() for values in (self.losses, self.norms))
        seconds = time.perf_counter() - self.since
        self.progress.seconds += seconds
        event = StepCompleted(progress.step, progress.epoch, loss, rate, norm, self.tokens / seconds)
        self.restart()
        return event
