"""A small training run of the reversal task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from models.networks.captioner.config import CaptionerConfig
from models.networks.config import NetworkConfig
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.training.events import StepCompleted, TrainingEvent
from models.training.loop.setup import RunFolders
from models.training.loop.trainer import train
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import DataConfig, OptimizerConfig, TokenizerConfig

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
WITHOUT_DROPOUT: dict[str, NetworkConfig] = {
    "rnn": RecurrentConfig(cell="rnn", d_embed=16, d_model=16, attention="none"),
    "gru": replace(GRU, dropout=0.0),
    "lstm": RecurrentConfig(
        cell="lstm", d_embed=16, d_model=16, num_layers=2, attention="general", context="concat"
    ),
    "transformer": replace(TRANSFORMER, dropout=0.0),
}


def of_each_network(config: TrainingConfig) -> dict[str, TrainingConfig]:
    """Return the recipe for each network without dropout; the captioner's has pictures."""
    recipes = {name: replace(config, network=network) for name, network in WITHOUT_DROPOUT.items()}
    recipes["captioner"] = replace(
        config,
        data=DataConfig(task="shapes", train_size=40, valid_size=8, options={"shapes": 1}),
        tokenizer=TokenizerConfig(kind="word", vocab_size=50),
        network=CaptionerConfig(
            picture_size=64, cells=8, channels=4, d_embed=8, d_model=8, d_attention=8, dropout=0.0
        ),
        batch_tokens=512,
        examples=(),
        max_length=8,
    )
    return recipes


def run(
    config: TrainingConfig,
    output: Path,
    start: Path | None = None,
    *,
    data: Path = Path(),
    device: torch.device = CPU,
    **options: Any,
) -> list[TrainingEvent]:
    events: list[TrainingEvent] = []
    train(config, events.append, RunFolders(output, data, start=start), device=device, **options)
    return events


def losses(events: list[TrainingEvent]) -> list[float]:
    return [event.loss for event in events if isinstance(event, StepCompleted)]


def after(steps: int) -> Callable[[], bool]:
    """Return a stopping condition, called after each step, that is true after `steps`."""
    answers = iter([False] * (steps - 1) + [True])
    return lambda: next(answers)
