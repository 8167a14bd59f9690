"""Optimizers by name, and which weights they may change."""

from __future__ import annotations

import torch
from torch import nn

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


def freeze(model: nn.Module, parts: tuple[str, ...]) -> None:
    """Keep the weights of "embeddings" (a tied output layer's too) or of the "encoder" as they are."""
    for name, parameter in model.named_parameters():
        is_embedding = "embedding" in name
        is_encoder = name.startswith("encoder")
        if ("embeddings" in parts and is_embedding) or ("encoder" in parts and is_encoder):
            parameter.requires_grad_(False)
