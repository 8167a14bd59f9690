"""The training objective as a module, which torch can wrap to average gradients over several processes."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import torch
from torch import Tensor, nn

from models.batch import Batch, FixedBatch
from models.device import gains_from_bf16, gains_from_chunked_loss, training_autocast
from models.networks.base import Seq2SeqModel
from models.training.loop.loss import IGNORED, chunked_cross_entropy, cross_entropy
from models.training.recipe.sections import OptimizerConfig


class CrossEntropy(nn.Module):
    """`cross_entropy` as a module, which torch.compile takes like a layer: its passes become one kernel."""

    def __init__(self, label_smoothing: float) -> None:
        super().__init__()
        self.label_smoothing = label_smoothing

    def forward(self, logits: Tensor, targets: Tensor) -> Tensor:
        """Sum over rows, in nats. logits (N, V), targets (N,)."""
        return cross_entropy(logits, targets, self.label_smoothing)


class Objective(nn.Module):
    """Label-smoothed cross-entropy summed over the real target tokens, in nats."""

    def __init__(self, model: Seq2SeqModel, settings: OptimizerConfig) -> None:
        super().__init__()
        self.model, self.settings = model, settings
        self.loss = CrossEntropy(settings.label_smoothing)

    def forward(self, batch: Batch) -> Tensor:
        """The loss of a batch: a scalar."""
        device = batch.tgt_out.device
        is_fixed = isinstance(batch, FixedBatch)
        with training_autocast(device, self.settings.bf16, cache=not is_fixed):
            if is_fixed:  # to choose the real tokens, the host would have to know how many there are
                logits = self.model.project(self.model.features(batch))
                targets = batch.tgt_out.masked_fill(~batch.tgt_mask, IGNORED)
                return cast("Tensor", self.loss(logits.flatten(0, 1), targets.flatten()))
            features = self.model.features(batch)[batch.tgt_mask]
            targets = batch.tgt_out[batch.tgt_mask]
            layer = getattr(self.model, "output", None)
            if gains_from_chunked_loss(device) and isinstance(layer, nn.Linear):
                bf16 = self.settings.bf16 and gains_from_bf16(device)
                return chunked_cross_entropy(features, layer, targets, self.settings.label_smoothing, bf16)
            return cast("Tensor", self.loss(self.model.project(features), targets))


@torch.no_grad()
def with_own_tokens(model: Seq2SeqModel, batch: Batch, ratio: float, generator: torch.Generator) -> Batch:
    """The batch as scheduled sampling feeds it to the decoder (Bengio et al. 2015, section 2.4).

    Each decoder input is the reference's token with probability `ratio`, and otherwise the token that the
    model finds most probable after the inputs so far; each token is drawn independently. The start token
    always stays. `generator` belongs to the CPU, so that every device draws the same numbers.
    """
    inputs = batch.tgt_in
    keep = torch.rand(inputs.shape, generator=generator).to(inputs.device) < ratio  # (B, T)
    if bool(keep[:, 1:].all()):
        return batch
    state = model.initial_state(model.encode(batch.src, batch.src_mask))
    columns = [inputs[:, 0]]
    for position in range(1, inputs.shape[1]):
        step = model.step(columns[-1], state)
        state = step.state
        predicted = step.logits.argmax(dim=-1)
        use_own = ~keep[:, position] & batch.tgt_mask[:, position]
        columns.append(torch.where(use_own, predicted, inputs[:, position]))
    return replace(batch, tgt_in=torch.stack(columns, dim=1))
