"""Optimizers by name, frozen weights, and the moving average of the weights."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import Tensor, nn

from models.device import has_fused_optimizer
from models.networks.base import Seq2SeqModel
from models.training.recipe.sections import OptimizerConfig


def build_optimizer(
    parameters: list[nn.Parameter], settings: OptimizerConfig, device: torch.device, capturable: bool = False
) -> torch.optim.Optimizer:
    """AdamW, Adam or SGD with momentum, in fused kernels where the device has them.

    capturable: the learning rate is a tensor, which a captured step reads each time.
    """
    fused = has_fused_optimizer(device)
    rate = torch.tensor(settings.learning_rate, device=device) if capturable else settings.learning_rate
    if settings.kind == "sgd":
        return torch.optim.SGD(
            parameters, lr=rate, momentum=settings.momentum, weight_decay=settings.weight_decay, fused=fused
        )
    kind = torch.optim.AdamW if settings.kind == "adamw" else torch.optim.Adam
    return kind(
        parameters,
        lr=rate,
        betas=(0.9, settings.beta2),
        weight_decay=settings.weight_decay,
        fused=fused,
        capturable=capturable,
    )


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Set the learning rate of the next step, in place where it is a tensor, which captured steps read."""
    for group in optimizer.param_groups:
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(rate)
        else:
            group["lr"] = rate


class MovingAverage:
    """The network with the exponential moving average of its weights, from the first step on."""

    def __init__(self, model: Seq2SeqModel, decay: float) -> None:
        # The copy moves to the device that it is on: this makes the weights of recurrent layers contiguous,
        # as cuDNN wants them.
        self.model = deepcopy(model).to(next(model.parameters()).device)
        self._decay = decay
        self._averages: list[Tensor] = [*self.model.parameters()]
        self._weights: list[Tensor] = [*model.parameters()]

    @torch.no_grad()
    def update(self, is_first: bool) -> None:
        """Add the present weights to the average, or begin it with them."""
        torch._foreach_lerp_(self._averages, self._weights, 1.0 if is_first else 1 - self._decay)


def freeze(model: nn.Module, parts: tuple[str, ...]) -> None:
    """Keep the weights of "embeddings" (a tied output layer's too) or of the "encoder" as they are."""
    for name, parameter in model.named_parameters():
        is_embedding = "embedding" in name
        is_encoder = name.startswith("encoder")
        if ("embeddings" in parts and is_embedding) or ("encoder" in parts and is_encoder):
            parameter.requires_grad_(False)
