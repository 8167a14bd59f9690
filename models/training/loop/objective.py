"""The training objective: label-smoothed cross-entropy, at once or in chunks without a whole batch's logits.

It is a module, which torch can wrap to average gradients over several processes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.batch import Batch, FixedBatch
from models.device import gains_from_bf16, gains_from_chunked_loss, training_autocast
from models.networks.base import Seq2SeqModel
from models.training.recipe.sections import OptimizerConfig

CHUNK_ROWS = 512
IGNORED = -100  # the target of a row that does not count, as in torch


def cross_entropy(logits: Tensor, targets: Tensor, label_smoothing: float) -> Tensor:
    """Sum over rows whose target is not `IGNORED`, in nats. logits (N, V), targets (N,).

    Szegedy et al. 2016, section 7.
    """
    return F.cross_entropy(logits.float(), targets, reduction="sum", label_smoothing=label_smoothing)


def chunked_cross_entropy(
    features: Tensor, layer: nn.Linear, targets: Tensor, label_smoothing: float, bf16: bool
) -> Tensor:
    """`cross_entropy(layer(features), targets)` in chunks of rows; features (N, D), targets (N,).

    On a CPU the (N, V) logits and their gradient are the largest tensors of a step by far, and moving
    them costs more than multiplying; so each chunk's gradient is computed beside its loss.
    """
    loss: Tensor = _ChunkedCrossEntropy.apply(  # type: ignore[no-untyped-call]
        features, layer.weight, layer.bias, targets, label_smoothing, bf16
    )
    return loss


class _ChunkedCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        features: Tensor,
        weight: Tensor,
        bias: Tensor,
        targets: Tensor,
        smoothing: float,
        bf16: bool,
    ) -> Tensor:
        kind = torch.bfloat16 if bf16 else features.dtype
        matrix, total = weight.to(kind), torch.zeros((), dtype=torch.float32)
        grad_features, grad_bias = torch.empty_like(features), torch.zeros_like(bias)
        grad_weight = torch.zeros_like(weight)
        spread = smoothing / weight.shape[0]
        # Every chunk is computed in the same memory: fresh pages for each would cost a sixth of a whole step.
        size = (min(CHUNK_ROWS, len(targets)), weight.shape[0])
        low_memory, memory = torch.empty(size, dtype=kind), torch.empty(size, dtype=torch.float32)
        for start in range(0, len(targets), CHUNK_ROWS):
            rows = slice(start, start + CHUNK_ROWS)
            chunk, target = features[rows].to(kind), targets[rows].unsqueeze(1)
            low = torch.mm(chunk, matrix.T, out=low_memory[: len(chunk)])
            logits = memory[: len(chunk)].copy_(low).add_(bias)
            logits.sub_(logits.amax(dim=1, keepdim=True))  # neither loss nor gradient sees a shift
            total -= (1 - smoothing) * logits.gather(1, target).sum()
            if smoothing:
                total -= spread * logits.sum()
            grad = logits.exp_()  # in place, and once for both the loss and its gradient
            norm = grad.sum(dim=1, keepdim=True)
            total += norm.log().sum()
            grad.mul_(norm.reciprocal())
            if smoothing:
                grad.sub_(spread)  # softmax minus the smoothed target
            grad.scatter_add_(1, target, torch.full_like(target, -(1 - smoothing), dtype=grad.dtype))
            grad_bias += grad.sum(dim=0)
            low.copy_(grad)
            grad_features[rows] = (low @ matrix).to(features.dtype)
            grad_weight += (low.T @ chunk).to(weight.dtype)
        ctx.save_for_backward(grad_features, grad_weight, grad_bias)
        return total

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor | None, ...]:
        scale = grad_outputs[0]
        grad_features, grad_weight, grad_bias = ctx.saved_tensors
        return grad_features * scale, grad_weight * scale, grad_bias * scale, None, None, None


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
