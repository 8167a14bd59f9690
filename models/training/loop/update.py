"""One optimizer step on a batch, split among processes, and into micro-batches where memory is short."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from models.batch import AnyBatch, Batch, FixedBatch
from models.device import (
    Capture,
    gains_from_capture,
    gains_from_compile,
    gains_from_pinned_memory,
    is_out_of_memory,
    release_memory,
)
from models.errors import Message, UnrolledError
from models.networks.base import Seq2SeqModel
from models.training.data.training_data import TrainingData
from models.training.events import Emit, Notice
from models.training.loop.captured_step import CapturedSteps, capture_obstacle
from models.training.loop.objective import Objective, with_own_tokens
from models.training.loop.optimizer import (
    MovingAverage,
    build_optimizer,
    learning_rate,
    set_learning_rate,
    teacher_forcing_ratio,
)
from models.training.loop.resume_state import RunProgress
from models.training.loop.validation import StepMeasurement
from models.training.process_group import Group
from models.training.recipe.config import TrainingConfig

# Seconds that a run must have left for compiling to pay. Compiling a whole network took an H200 more than a
# minute; compiling its layers one by one takes less, because equal layers share their code (docs/speed.md).
COMPILES_FROM = 600.0


class TrainingError(UnrolledError, RuntimeError):
    """An error that ends a run; the message says what to change."""


class Updater:
    """Updates the weights by one optimizer step for each batch."""

    def __init__(
        self, config: TrainingConfig, model: Seq2SeqModel, data: TrainingData, group: Group, total_steps: int
    ) -> None:
        self.config, self.model, self.data, self.group = config, model, data, group
        self.total_steps = total_steps
        self.device = next(model.parameters()).device
        self.parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        captures = gains_from_capture(self.device)
        self.optimizer = build_optimizer(self.parameters, config.optimizer, self.device, captures)
        decay = config.optimizer.average_decay
        self.average = MovingAverage(model, decay) if decay else None
        self.objective = Objective(model, config.optimizer)
        self.synchronized_objective = group.synchronize(self.objective)
        self.captured = self._new_captures(shapes_repeat=False) if captures else None
        self.capture_obstacle = capture_obstacle(config, model, group) if captures else None
        if group.size > 1 or not model.capturable:
            self.captured = None
        self.compiling = False
        self.may_compile = config.optimizer.compile and gains_from_compile(self.device)

    def update(self, indices: list[int], progress: RunProgress, emit: Emit) -> StepMeasurement:
        """One optimizer step on the pairs with these indices; all numbers stay on the device.

        When memory runs out, this and later batches are split into twice as many micro-batches, whose
        gradients add up. Raises TrainingError if a single pair does not fit.
        """
        step, tokens = progress.step + 1, self.data.target_tokens(indices)
        forcing = teacher_forcing_ratio(self.config.teacher_forcing, step, self.total_steps)
        rate = learning_rate(self.config.optimizer, step, self.total_steps)
        set_learning_rate(self.optimizer, rate)
        self.model.train()
        if self.capture_obstacle is not None and progress.step == 0:
            emit(Notice(step, self.capture_obstacle))
        while True:
            try:
                loss, norm = self._try_step(indices, tokens, forcing, progress)
                break
            except Exception as error:
                emit(Notice(step, self._recover(error, len(indices), progress)))
        return StepMeasurement(loss / tokens, norm, rate, forcing, tokens)

    def _try_step(
        self, indices: list[int], tokens: int, forcing: float, progress: RunProgress
    ) -> tuple[Tensor, Tensor]:
        """Run one step on these pairs, captured if possible, and return the results of `_run_step`."""
        scale = self.group.size / tokens  # the processes' gradients are averaged
        if self.captured is not None and forcing == 1.0 and progress.micro_batches == 1:
            fixed = self.data.fixed_batch(indices, progress.epoch, self.captured.sizes)
            if fixed is not None:

                def run_step(batch: FixedBatch, scale: Tensor) -> tuple[Tensor, Tensor]:
                    return self._run_step([(batch, 1.0)], scale, forcing, progress.step)

                return self.captured.run(self._to_device(fixed), scale, run_step)
        batches = self.data.micro_batches(indices, progress.epoch, self.group, progress.micro_batches)
        return self._run_step(batches, scale, forcing, progress.step)

    def _run_step(
        self, micro_batches: list[tuple[Batch, float]], scale: float | Tensor, forcing: float, step: int
    ) -> tuple[Tensor, Tensor]:
        """Run forward and backward passes and the optimizer; return the summed loss and the gradient's norm.

        The loss is that of this process. Each micro-batch has its weight. `scale` turns the summed loss into
        the mean per token. `step` counts the steps done so far.
        """
        self.optimizer.zero_grad(set_to_none=True)
        total = torch.zeros((), device=self.device)
        for number, (batch, weight) in enumerate(micro_batches, start=1):
            batch_to_feed = self._batch_to_feed(batch, forcing, step, number)
            with self._gradient_exchange(number == len(micro_batches)):
                loss = weight * self.synchronized_objective(batch_to_feed)
                (loss * scale).backward()
            total += loss.detach()
        norm = nn.utils.get_total_norm([p.grad for p in self.parameters if p.grad is not None])
        if self.config.optimizer.clip_norm:
            nn.utils.clip_grads_with_norm_(self.parameters, self.config.optimizer.clip_norm, norm)
        self.optimizer.step()
        if self.average is not None:
            self.average.update(is_first=step == 0)
        return total, norm

    def compile_if_long(self, seconds_left: float | None, step: int, emit: Emit) -> None:
        """Compile layers and loss at the next step, once, if the rest of the run is long enough for that.

        Captured steps are captured again, with kernels of attention that are compiled for each shape.
        """
        is_long = seconds_left is not None and seconds_left >= COMPILES_FROM
        if not self.may_compile or not is_long or not list(self.model.repeated_layers):
            return
        self.compiling, self.may_compile = True, False
        for part in self._compilable_parts():
            part.compile(dynamic=True)
        if self.captured is not None:
            self.captured = self._new_captures(shapes_repeat=True)
        message = Message(
            "layers_compiled",
            "The layers of the network are compiled for this device: the next steps take longer.",
        )
        emit(Notice(step, message))

    def _compilable_parts(self) -> Iterable[nn.Module]:
        return (*self.model.repeated_layers, self.objective.loss)

    def _new_captures(self, shapes_repeat: bool) -> CapturedSteps:
        return CapturedSteps(Capture(self.device, shapes_repeat), self.data.sizes())

    def _to_device(self, batch: AnyBatch) -> AnyBatch:
        """The batch on the device of the network."""
        if batch.src.device != self.device and gains_from_pinned_memory(self.device):
            batch = batch.pin_memory()
        return batch.to(self.device)

    def _batch_to_feed(self, batch: Batch, forcing: float, step: int, number: int) -> Batch:
        """The batch on the device, with the decoder inputs of scheduled sampling."""
        batch = self._to_device(batch)
        if forcing == 1.0:
            return batch
        # Seeded by the step, so that a resumed run draws the same tokens.
        seed = hash((self.config.seed, step, number, self.group.rank)) & 0x7FFF_FFFF
        generator = torch.Generator().manual_seed(seed)
        return with_own_tokens(self.model, batch, forcing, generator)

    def _gradient_exchange(self, is_last: bool) -> AbstractContextManager[None]:
        """A context in which processes exchange gradients only with the last micro-batch."""
        if isinstance(self.synchronized_objective, DistributedDataParallel) and not is_last:
            return cast("AbstractContextManager[None]", self.synchronized_objective.no_sync())
        return nullcontext()

    def _recover(self, error: Exception, pairs: int, progress: RunProgress) -> Message:
        """Change how steps run so that the same batch can be tried again, and say how, or raise the error."""
        step = progress.step + 1
        if self.compiling and not is_out_of_memory(error):
            self.compiling = False
            for part in self._compilable_parts():
                part._compiled_call_impl = None  # there is no public inverse of `compile`
            if self.captured is not None:
                self.captured = self._new_captures(shapes_repeat=False)
                self.optimizer.zero_grad(set_to_none=True)
            return Message(
                "compile_does_not_work",
                "torch.compile does not work here, so the run goes on without it ({reason})",
                reason=_first_line(error),
            )
        if self.captured is not None:  # after a lack of memory as well, since graphs hold some
            self.captured = None
            self.optimizer.zero_grad(set_to_none=True)
            release_memory(self.device)
            return Message(
                "capture_does_not_work",
                "The training step could not be captured here, so the run goes on without capture ({reason})",
                reason=_first_line(error),
            )
        if not is_out_of_memory(error):
            raise error
        if self.group.size > 1:
            raise TrainingError(
                "process_out_of_memory",
                "process {process} ran out of memory at step {step}: lower batch_tokens (now "
                "{tokens}) or train with more processes, and resume",
                process=self.group.rank,
                step=step,
                tokens=f"{self.config.batch_tokens:,}",
            ) from error
        if progress.micro_batches >= pairs:
            raise TrainingError(
                "pair_too_large_for_memory",
                "memory ran out at step {step} on a single pair: lower data.max_pieces, or take a "
                "smaller network",
                step=step,
            ) from error
        progress.micro_batches *= 2
        self.optimizer.zero_grad(set_to_none=True)
        release_memory(self.device)
        size = max(1, self.config.batch_tokens // progress.micro_batches)
        return Message(
            "batches_in_pieces",
            "Memory ran out: batches are now computed in {count} pieces of about {size} tokens whose "
            "gradients add up. The result is the same, only slower.",
            count=progress.micro_batches,
            size=f"{size:,}",
        )


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__
