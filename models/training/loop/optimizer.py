"""Optimizers by name, which weights they may change, and the average of those weights."""

from __future__ import annotations

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from models.device import has_fused_optimizer
from models.training.recipe.config import OptimizerConfig


def build_optimizer(
    parameters: list[nn.Parameter], settings: OptimizerConfig, device: torch.device
) -> torch.optim.Optimizer:
    """AdamW, Adam or SGD with momentum, in fused kernels where the device has them."""
    fused = has_fused_optimizer(device)
    if settings.kind == "sgd":
        return torch.optim.SGD(
            parameters,
            lr=settings.learning_rate,
            momentum=settings.momentum,
            weight_decay=settings.weight_decay,
            fused=fused,
        )
    kind = torch.optim.AdamW if settings.kind == "adamw" else torch.optim.Adam
    return kind(
        parameters,
        lr=settings.learning_rate,
        betas=(0.9, settings.beta2),
        weight_decay=settings.weight_decay,
        fused=fused,
    )


def averaged(model: nn.Module, decay: float) -> AveragedModel | None:
    """The network with the exponential moving average of its weights; None at a decay of 0."""
    if not decay:
        return None
    # Moved to where it is: that puts the weights of recurrent layers side by side, as cuDNN wants them.
    device = next(model.parameters()).device
    return AveragedModel(model, device=device, multi_avg_fn=get_ema_multi_avg_fn(decay))


def freeze(model: nn.Module, parts: tuple[str, ...]) -> None:
    """Keep the weights of "embeddings" (a tied output layer's too) or of the "encoder" as they are."""
    for name, parameter in model.named_parameters():
        is_embedding = "embedding" in name
        is_encoder = name.startswith("encoder")
        if ("embeddings" in parts and is_embedding) or ("encoder" in parts and is_encoder):
            parameter.requires_grad_(False)
