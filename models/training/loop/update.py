"""One optimizer step: a batch, cut into as many pieces as memory requires, over one process or several."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from models.batch import Batch
from models.device import gains_from_compile, gains_from_pinned_memory, is_out_of_memory, release_memory
from models.errors import Message, UnrolledError
from models.networks.base import Seq2SeqModel
from models.training.events import Emit, Notice
from models.training.loop.data import TrainingData
from models.training.loop.meter import StepMeasurement
from models.training.loop.objective import Objective, with_own_tokens
from models.training.loop.optimizer import build_optimizer
from models.training.loop.process_group import Group
from models.training.loop.schedules import learning_rate, teacher_forcing_ratio
from models.training.recipe.config import TrainingConfig
from models.training.saved.resume_state import RunProgress

# Seconds that a run must have left for compiling to pay: on an H200 it took more than a minute.
COMPILES_FROM = 1800.0


class TrainingError(UnrolledError, RuntimeError):
    """An error that ends a run; the message says what to change."""


class Updater:
    """Everything between a list of pairs and changed weights."""

    def __init__(
        self, config: TrainingConfig, model: Seq2SeqModel, data: TrainingData, group: Group, total_steps: int
    ) -> None:
        self.config, self.model, self.data, self.group = config, model, data, group
        self.total_steps = total_steps
        self.device = next(model.parameters()).device
        self.parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self.optimizer = build_optimizer(self.parameters, config.optimizer, self.device)
        self.objective = Objective(model, config.optimizer)
        self.compiling = False
        self.may_compile = config.optimizer.compile and model.compiles and gains_from_compile(self.device)
        self.training = group.wrapped(self.objective)

    def update(self, indices: list[int], progress: RunProgress, emit: Emit) -> StepMeasurement:
        """One optimizer step on the pairs with these indices; all numbers stay on the device.

        When memory runs out, the batch is cut into twice as many pieces whose gradients add up, from then
        on. Raises TrainingError if a single pair is too much.
        """
        settings, step = self.config.optimizer, progress.step + 1
        forcing = teacher_forcing_ratio(self.config.teacher_forcing, step, self.total_steps)
        tokens = self.data.target_tokens(indices)
        while True:
            try:
                loss = self._gradients(indices, tokens, forcing, progress)
                break
            except Exception as error:
                self._recover(error, len(indices), progress, emit)
        norm = nn.utils.get_total_norm([p.grad for p in self.parameters if p.grad is not None])
        if settings.clip_norm:
            nn.utils.clip_grads_with_norm_(self.parameters, settings.clip_norm, norm)
        rate = learning_rate(settings, step, self.total_steps)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        return StepMeasurement(loss / tokens, norm, rate, forcing, tokens)

    def compile_if_long(self, seconds_left: float | None, step: int, emit: Emit) -> None:
        """Compile the network at its next step, once, if the rest of the run is long enough for that."""
        if not self.may_compile or seconds_left is None or seconds_left < COMPILES_FROM:
            return
        self.compiling, self.may_compile = True, False
        self.objective.features = torch.compile(self.model.features, dynamic=True)
        message = Message(
            "network_compiled",
            "The network is compiled for this device: the next steps take a minute or two, those after them "
            "less than before.",
        )
        emit(Notice(step, message))

    def _gradients(self, indices: list[int], tokens: int, forcing: float, progress: RunProgress) -> Tensor:
        """Gradients of the mean loss of a token, on every process; returns this one's summed loss."""
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        total = torch.zeros((), device=self.device)
        batches = self.data.pieces(indices, progress.epoch, self.group, progress.parts)
        for number, (batch, weight) in enumerate(batches, start=1):
            fed = self._fed(batch, forcing, progress.step, number)
            with self._gathering(number == len(batches)):
                loss = weight * self.training(fed)
                (loss * (self.group.size / tokens)).backward()  # the processes' gradients are averaged
            total += loss.detach()
        return total

    def _fed(self, batch: Batch, forcing: float, step: int, number: int) -> Batch:
        if gains_from_pinned_memory(self.device):
            batch = batch.pinned()
        batch = batch.to(self.device)
        if forcing == 1.0:
            return batch
        # Seeded by the step, so that a resumed run tosses the same coins.
        seed = hash((self.config.seed, step, number, self.group.rank)) & 0x7FFF_FFFF
        coins = torch.Generator().manual_seed(seed)
        return with_own_tokens(self.model, batch, forcing, coins)

    def _gathering(self, last: bool) -> AbstractContextManager[None]:
        """A context in which gradients travel between processes once, with the last piece."""
        if isinstance(self.training, DistributedDataParallel) and not last:
            return cast("AbstractContextManager[None]", self.training.no_sync())
        return nullcontext()

    def _recover(self, error: Exception, pairs: int, progress: RunProgress, emit: Emit) -> None:
        """Make the same batch feasible, or raise the error if that is impossible."""
        step = progress.step + 1
        if self.compiling and not is_out_of_memory(error):
            self.compiling, self.objective.features = False, self.model.features
            reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
            message = Message(
                "compile_does_not_work",
                "torch.compile does not work here, so the run goes on without it ({reason})",
                reason=reason,
            )
            emit(Notice(step, message))
            return
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
        if progress.parts >= pairs:
            raise TrainingError(
                "pair_too_large_for_memory",
                "memory ran out at step {step} on a single pair: lower data.max_pieces, or take a "
                "smaller network",
                step=step,
            ) from error
        progress.parts *= 2
        self.optimizer.zero_grad(set_to_none=True)
        release_memory(self.device)
        size = max(1, self.config.batch_tokens // progress.parts)
        message = Message(
            "batches_in_pieces",
            "Memory ran out: batches are now computed in {count} pieces of about {size} tokens whose "
            "gradients add up. The result is the same, only slower.",
            count=progress.parts,
            size=f"{size:,}",
        )
        emit(Notice(step, message))
