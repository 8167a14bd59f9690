"""Optimizer steps that an accelerator records once for each of a few batch sizes, and then replays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from models.batch import FixedBatch
from models.device import Capture
from models.errors import Message
from models.networks.base import Seq2SeqModel
from models.training.data.batches import Size, few_sizes
from models.training.process_group import Group
from models.training.recipe.config import TrainingConfig

MAX_SIZES = 24  # sizes to which batches are padded: each costs a capture, but more sizes mean less padding

Step = Callable[[FixedBatch, Tensor], tuple[Tensor, Tensor]]


@dataclass
class _CapturedStep:
    """A step on tensors whose memory addresses never change."""

    batch: FixedBatch
    scale: Tensor  # scalar; the summed loss is multiplied by it
    replay: Callable[[], None] | None = None  # None until it is captured
    result: tuple[Tensor, ...] = ()  # overwritten by each replay


class CapturedSteps:
    """One captured step for each of a few sizes of batches.

    The first step of a size runs as usual and warms the device up; the second is captured. Both train the
    network, so the weights need no reset, and a size that occurs once is never captured.
    """

    def __init__(self, capture: Capture, sizes: Iterable[Size]) -> None:
        """`sizes` are those of the batches of an epoch."""
        self.sizes = few_sizes(sizes, MAX_SIZES)
        self._capture = capture
        self._by_size: dict[Size, _CapturedStep] = {}

    def run(self, batch: FixedBatch, scale: float, step: Step) -> tuple[Tensor, Tensor]:
        """Run `step` on a batch of one of the sizes, and return its results."""
        size = Size(len(batch.src), batch.src.shape[1], batch.tgt_in.shape[1])
        captured = self._by_size.get(size)
        if captured is None:
            captured = _CapturedStep(batch, torch.tensor(scale, device=batch.src.device))
            self._by_size[size] = captured
            return self._capture.warm_up(lambda: step(captured.batch, captured.scale))
        captured.batch.fill(batch)
        captured.scale.fill_(scale)
        if captured.replay is None:
            captured.replay, captured.result = self._capture.capture(
                lambda: step(captured.batch, captured.scale)
            )
        captured.replay()
        loss, norm = captured.result
        return loss.clone(), norm.clone()


def capture_obstacle(config: TrainingConfig, model: Seq2SeqModel, group: Group) -> Message | None:
    """The reason why this run's steps are not captured on a device that captures steps; None if they are.

    Steps that feed the network its own tokens are never captured; the other steps of such a run are.
    """
    if group.size > 1:
        return Message(
            "processes_not_captured", "Several processes train together, so their steps run without capture."
        )
    if not model.capturable:
        return Message("network_not_captured", "The steps of this network run without capture.")
    forcing = config.teacher_forcing
    if min(forcing.start, forcing.end if forcing.schedule != "constant" else 1.0) < 1:
        return Message(
            "own_tokens_not_captured", "Steps that feed the network its own tokens run without capture."
        )
    return None
