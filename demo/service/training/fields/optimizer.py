"""The settings of the optimizer, and of what the decoder is told."""

from __future__ import annotations

from demo.service.training.fields.field import Field, choices_of
from models.training.recipe.config import OPTIMIZERS, SCHEDULES, TEACHER_FORCING

SCHEDULE_TITLES = {"inverse_sqrt": "inverse square root"}
FORCING_TITLES = {"inverse_sigmoid": "inverse sigmoid"}
OPTIMIZER_TITLES = {"adamw": "AdamW", "adam": "Adam", "sgd": "SGD"}
OPTIMIZER = "Optimizer"
FORCING = "Teacher forcing"

OPTIMIZER_FIELDS: tuple[Field, ...] = (
    Field(
        "optimizer.kind",
        "Optimizer",
        "AdamW suits nearly everything.",
        OPTIMIZER,
        "choice",
        choices=choices_of(OPTIMIZERS, OPTIMIZER_TITLES),
    ),
    Field(
        "optimizer.learning_rate",
        "Learning rate",
        "Size of a step. A tenth of it or less for fine-tuning.",
        OPTIMIZER,
        "number",
        1e-6,
        1,
    ),
    Field(
        "optimizer.schedule",
        "Schedule",
        "How the learning rate falls after the warm-up.",
        OPTIMIZER,
        "choice",
        choices=choices_of(SCHEDULES, SCHEDULE_TITLES),
    ),
    Field(
        "optimizer.warmup_steps",
        "Warm-up, in steps",
        "The learning rate climbs from nought meanwhile.",
        OPTIMIZER,
        low=0,
        high=20_000,
    ),
    Field(
        "optimizer.final_ratio",
        "Final ratio",
        "Share of the learning rate that is left at the end.",
        OPTIMIZER,
        "number",
        0,
        1,
    ),
    Field(
        "optimizer.weight_decay", "Weight decay", "Pulls weights towards nought.", OPTIMIZER, "number", 0, 1
    ),
    Field("optimizer.momentum", "Momentum", "Of SGD.", OPTIMIZER, "number", 0, 0.999),
    Field(
        "optimizer.beta2", "Beta 2", "Memory of Adam for squared gradients.", OPTIMIZER, "number", 0, 0.9999
    ),
    Field(
        "optimizer.clip_norm",
        "Clip the gradient at",
        "A longer gradient is scaled down to this norm; 0 never clips.",
        OPTIMIZER,
        "number",
        0,
        1000,
    ),
    Field(
        "optimizer.label_smoothing",
        "Label smoothing",
        "Probability given to all other tokens; 0.1 helps BLEU and spoils samples.",
        OPTIMIZER,
        "number",
        0,
        0.9,
    ),
    Field(
        "optimizer.average_decay",
        "Weight averaging",
        "Decay of the moving average that is judged and kept; 0 = off.",
        OPTIMIZER,
        "number",
        0,
        0.9999,
    ),
    Field(
        "optimizer.bf16",
        "bfloat16",
        "Half the numbers' size where the hardware gains from it.",
        OPTIMIZER,
        "switch",
    ),
    Field("optimizer.compile", "Compile", "torch.compile, where it pays.", OPTIMIZER, "switch"),
    Field(
        "teacher_forcing.schedule",
        "Scheduled sampling",
        "How the ratio falls from start to end (Bengio et al. 2015).",
        FORCING,
        "choice",
        choices=choices_of(TEACHER_FORCING, FORCING_TITLES),
    ),
    Field(
        "teacher_forcing.start",
        "Ratio at the start",
        "Share of decoder inputs that are the reference's; 1 = always.",
        FORCING,
        "number",
        0,
        1,
    ),
    Field(
        "teacher_forcing.end",
        "Ratio at the end",
        "The rest are the model's own guesses, as when it decodes.",
        FORCING,
        "number",
        0,
        1,
    ),
    Field(
        "teacher_forcing.steps",
        "Steps until the end",
        "0 = all steps of the run.",
        FORCING,
        low=0,
        high=1_000_000,
    ),
)
