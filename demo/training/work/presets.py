"""Presets of the training form."""

from __future__ import annotations

from dataclasses import dataclass, replace

from models.corpus.generated.all_tasks import GENERATED
from models.networks.recurrent.config import RecurrentConfig
from models.networks.transformer.config import TransformerConfig
from models.training.recipe.config import TrainingConfig
from models.training.recipe.sections import (
    FILES_TASK,
    DataConfig,
    OptimizerConfig,
    TeacherForcingConfig,
    TokenizerConfig,
)


@dataclass(frozen=True)
class TrainingPreset:
    """A recipe without data."""

    title: str
    help: str
    config: TrainingConfig
    help_own: str = ""  # another help text for pairs that are not generated


MINUTES = TrainingPreset(
    "Minutes on a CPU",
    "A small GRU with attention: a generated task is learnt while you watch.",
    TrainingConfig(
        name="minutes",
        data=DataConfig(train_size=20_000, valid_size=300),
        network=RecurrentConfig(d_embed=64, d_model=128, d_attention=64, dropout=0.0),
        optimizer=OptimizerConfig(learning_rate=4e-3, warmup_steps=50, average_decay=0.98),
        epochs=6,
        batch_tokens=2048,
        report_every=5,
        evaluate_every=50,
        decode_valid=100,
    ),
    "A small GRU with attention: from few pairs it learns little, and learns them by heart.",
)
QUALITY = TrainingPreset(
    "Quality on a GPU",
    "A Transformer of 6 + 6 layers with large batches: hours on a CPU, minutes on a GPU.",
    TrainingConfig(
        name="quality",
        data=DataConfig(train_size=200_000, valid_size=1000),
        tokenizer=TokenizerConfig(vocab_size=16_000, min_frequency=2),
        network=TransformerConfig(
            d_model=512, num_heads=8, d_ff=2048, num_layers=6, num_decoder_layers=6, dropout=0.2
        ),
        optimizer=OptimizerConfig(
            schedule="inverse_sqrt",
            learning_rate=1e-3,
            warmup_steps=2000,
            label_smoothing=0.1,
            average_decay=0.999,
        ),
        epochs=30,
        batch_tokens=25_000,
        report_every=20,
        evaluate_every=500,
        decode_valid=500,
        patience=10,
    ),
)
TEXTBOOK = TrainingPreset(
    "Textbook",
    "Two plain GRU layers of 512, dropout 0.5, Adam, half teacher forcing, no attention: as in courses.",
    TrainingConfig(
        name="textbook",
        data=DataConfig(train_size=20_000, valid_size=300),
        network=RecurrentConfig(
            d_embed=256, d_model=512, num_layers=2, bidirectional=False, attention="none", dropout=0.5
        ),
        optimizer=OptimizerConfig(
            kind="adam",
            schedule="constant",
            learning_rate=1e-3,
            warmup_steps=0,
            weight_decay=0.0,
            beta2=0.999,
            bf16=False,
        ),
        teacher_forcing=TeacherForcingConfig(start=0.5),
        epochs=10,
        batch_tokens=320,
        report_every=20,
        evaluate_every=200,
        decode_valid=100,
    ),
)
PRESETS = {preset.config.name: preset for preset in (MINUTES, QUALITY, TEXTBOOK)}


def fit_tokens(preset: TrainingPreset, task: str) -> TrainingConfig:
    """The recipe of a preset with tokens that fit the task: characters, words or BPE."""
    config = preset.config
    kind, size, pieces = "bpe", config.tokenizer.vocab_size, 60
    if task != FILES_TASK:
        kind, size, pieces = GENERATED[task].tokenizer, 8000, 100
    elif preset is MINUTES:
        size = 2000
    return replace(
        config,
        tokenizer=replace(config.tokenizer, kind=kind, vocab_size=size),
        data=replace(config.data, max_pieces=pieces),
    )


def for_fine_tuning(config: TrainingConfig, few_pairs: bool) -> TrainingConfig:
    """The recipe for fine-tuning: a small learning rate and few epochs.

    A few pairs, typed or corrected by hand, are seen often and in small batches.
    """
    optimizer = replace(
        config.optimizer,
        schedule="linear",
        learning_rate=min(3e-4, config.optimizer.learning_rate / 5),
        warmup_steps=20,
        average_decay=0.0,
    )
    config = replace(config, optimizer=optimizer, epochs=3, evaluate_every=25, report_every=5, patience=5)
    if not few_pairs:
        return config
    optimizer = replace(optimizer, warmup_steps=5, schedule="constant")
    return replace(
        config, optimizer=optimizer, epochs=20, batch_tokens=128, evaluate_every=10, report_every=1
    )
