"""The settings of the run as a whole."""

from __future__ import annotations

from demo.service.training.fields.field import Field, choices_of
from models.training.recipe.config import FREEZABLE

RUN = "Run"

RUN_FIELDS: tuple[Field, ...] = (
    Field("epochs", "Epochs", "How often every pair is seen.", RUN, low=1, high=1000),
    Field(
        "batch_tokens",
        "Batch, in target tokens",
        "Larger is faster; too large for the memory is cut into pieces.",
        RUN,
        low=32,
        high=200_000,
    ),
    Field(
        "evaluate_every",
        "Evaluate every, in steps",
        "Validation, samples, probe and a checkpoint.",
        RUN,
        low=1,
        high=100_000,
    ),
    Field("report_every", "Report every, in steps", "Points of the curves.", RUN, low=1, high=10_000),
    Field(
        "decode_valid",
        "Validation pairs to decode",
        "For BLEU and exact match; 0 = only the loss.",
        RUN,
        low=0,
        high=2000,
    ),
    Field(
        "patience",
        "Patience, in evaluations",
        "Stop after so many without a lower loss, and keep the best; 0 = never.",
        RUN,
        low=0,
        high=1000,
    ),
    Field("freeze", "Freeze", "What keeps its weights.", RUN, "choices", choices=choices_of(FREEZABLE)),
    Field("seed", "Seed", "Same seed, same machine: same losses.", RUN, low=0, high=2**32 - 1),
    Field("max_length", "Longest output, in tokens", "Where decoding gives up.", RUN, low=1, high=100),
    Field(
        "probe_source",
        "Probe sentence",
        "Decoded at every evaluation; empty = a validation pair.",
        RUN,
        "text",
        high=200,
    ),
    Field("probe_reference", "Probe's reference", "For teacher forcing on the probe.", RUN, "text", high=200),
)
