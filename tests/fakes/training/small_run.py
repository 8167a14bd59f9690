"""A small training run of the reversal task."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.training.events import StepCompleted, TrainingEvent
from models.training.loop.trainer import train
from models.training.recipe.config import DataConfig, OptimizerConfig, TrainingConfig
from models.training.saved.folders import RunFolders

CPU = torch.device("cpu")
GRU = RecurrentConfig(d_embed=16, d_model=16, d_attention=8, dropout=0.1)
TRANSFORMER = TransformerConfig(
    d_model=16, num_heads=2, d_ff=16, num_layers=1, num_decoder_layers=1, dropout=0.1, max_positions=16
)
CONFIG = TrainingConfig(
    name="tiny",
    data=DataConfig(train_size=100, valid_size=20, max_pieces=13, casual_sources=0.2),
    network=GRU,
    optimizer=OptimizerConfig(learning_rate=0.01, warmup_steps=3, average_decay=0.9, bf16=False),
    epochs=2,
    batch_tokens=200,
    report_every=1,
    evaluate_every=4,
    examples=("abc",),
    max_length=13,
)


def run(
    config: TrainingConfig,
    output: Path,
    start: Path | None = None,
    *,
    device: torch.device = CPU,
    **options: Any,
) -> list[TrainingEvent]:
    events: list[TrainingEvent] = []
    train(config, events.append, RunFolders(output, start=start), device=device, **options)
    return events


def losses(events: list[TrainingEvent]) -> list[float]:
    return [event.loss for event in events if isinstance(event, StepCompleted)]


def after(steps: int) -> Callable[[], bool]:
    """Return a stopping condition, called after each step, that is true after `steps`."""
    answers = iter([False] * (steps - 1) + [True])
    return lambda: next(answers)
