"""Optimizers by name, schedules, frozen weights, and the moving average of the weights."""

from __future__ import annotations

import math
from copy import deepcopy

import torch
from torch import Tensor, nn

from models.device import has_fused_optimizer
from models.networks.base import Seq2SeqModel
from models.training.recipe.sections import OptimizerConfig, TeacherForcingConfig


def learning_rate(settings: OptimizerConfig, step: int, total_steps: int) -> float:
    """Linear warm-up to `learning_rate`, then the schedule; step counts from 1.

    cosine and linear end at `final_ratio` of it; inverse_sqrt falls with 1 / sqrt(step) from its peak at
    the end of the warm-up (Vaswani et al. 2017, section 5.3).
    """
    warmup, peak = settings.warmup_steps, settings.learning_rate
    if step <= warmup:
        return peak * step / warmup
    if settings.schedule == "constant":
        return peak
    if settings.schedule == "inverse_sqrt":
        return peak * math.sqrt(max(1, warmup) / step)
    done = min(1.0, (step - warmup) / max(1, total_steps - warmup))
    left = 0.5 * (1 + math.cos(math.pi * done)) if settings.schedule == "cosine" else 1 - done
    return peak * (settings.final_ratio + (1 - settings.final_ratio) * left)


def teacher_forcing_ratio(settings: TeacherForcingConfig, step: int, total_steps: int) -> float:
    """Probability that a decoder input is the reference's token at this step, which counts from 1.

    Scheduled sampling (Bengio et al. 2015, section 2.4), its curves scaled to run from `start` to `end`.
    """
    if settings.schedule == "constant":
        return settings.start
    steps = settings.steps or total_steps
    done = min(1.0, (step - 1) / max(1, steps - 1))
    if settings.schedule == "linear":
        return settings.start + (settings.end - settings.start) * done
    if settings.schedule == "exponential":  # start * k^i with k so that it reaches the end
        ratio: float = (settings.end / settings.start) ** done
        return settings.start * ratio
    if done == 1.0:
        return settings.end
    left = _inverse_sigmoid(done) / _inverse_sigmoid(0.0)
    return settings.end + (settings.start - settings.end) * left


K = math.exp(5)  # the paper's curve is then half way down at i / k = 5 and flat at both ends


def _inverse_sigmoid(done: float) -> float:
    """k / (k + exp(i / k)), its length scaled so that the middle of the steps is the middle of the curve."""
    return K / (K + math.exp(2 * math.log(K) * done))


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
