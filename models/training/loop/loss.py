"""Label-smoothed cross-entropy, at once or in chunks that never hold the logits of a whole batch."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

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
