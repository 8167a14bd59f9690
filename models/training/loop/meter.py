"""The measurements of a run since its last report."""

from __future__ import annotations

import time
from dataclasses import dataclass

import torch
from torch import Tensor

from models.device import peak_memory
from models.training.events import StepCompleted
from models.training.loop.resume_state import RunProgress
from models.training.process_group import Group


@dataclass(frozen=True)
class StepMeasurement:
    """The measurements of one optimizer step."""

    loss: Tensor  # () on the device: this process's part of the mean loss of a target token
    norm: Tensor  # () on the device: the norm of the gradient before clipping
    learning_rate: float
    teacher_forcing: float
    tokens: int  # target tokens, of all processes


class Meter:
    """Means over some steps; the device is asked for numbers only when they are reported."""

    def __init__(self, progress: RunProgress, group: Group, clip_norm: float, total_steps: int) -> None:
        self.progress, self.group = progress, group
        self.clip_norm, self.total_steps = clip_norm, total_steps
        self.began, self.began_at = time.perf_counter(), progress.step
        self.has_reported = False
        self.steps: list[StepMeasurement] = []
        self.restart()

    def restart(self) -> None:
        """Forget the measurements, and restart the clock."""
        self.steps, self.since = [], time.perf_counter()

    def add(self, step: StepMeasurement) -> None:
        """Add a step."""
        self.steps.append(step)

    def is_due(self, every: int) -> bool:
        """Whether to report: after every `every` steps, and at first after 1, 2, 4, 8 and so on."""
        step = self.progress.step
        return step % every == 0 or (step < every and step & (step - 1) == 0)

    def report(self) -> StepCompleted:
        """Return the measurements since the last report, add their time to the run's, and restart."""
        norms = torch.stack([step.norm for step in self.steps])
        clipped = norms.clamp(max=self.clip_norm) if self.clip_norm else norms
        loss = self.group.total(torch.stack([step.loss for step in self.steps]).mean()).item()
        seconds = time.perf_counter() - self.since
        self.progress.seconds += seconds
        event = StepCompleted(
            step=self.progress.step,
            epoch=self.progress.epoch,
            loss=loss,
            learning_rate=self.steps[-1].learning_rate,
            gradient_norm=norms.mean().item(),
            clipped_norm=clipped.mean().item(),
            teacher_forcing=self.steps[-1].teacher_forcing,
            tokens_per_second=sum(step.tokens for step in self.steps) / seconds,
            memory_bytes=peak_memory(norms.device),
            seconds_left=self.seconds_left(),
        )
        if not self.has_reported:  # the first steps take longer: a device wakes up, caches fill
            self.began, self.began_at, self.has_reported = time.perf_counter(), self.progress.step, True
        self.restart()
        return event

    def seconds_left(self) -> float | None:
        """The seconds until the last step at the pace so far, evaluations included; None if unknown."""
        done = self.progress.step - self.began_at
        if not done:
            return None
        pace = (time.perf_counter() - self.began) / done
        return max(0.0, pace * (self.total_steps - self.progress.step))
