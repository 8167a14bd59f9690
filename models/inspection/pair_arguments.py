"""Command-line arguments that choose the pairs a command works on."""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from models.corpus.files.reading import add_columns, hints_of, read_pairs
from models.corpus.generated.all_tasks import TASKS, generate
from models.corpus.pairs import DataError, Pair
from models.registry.checkpoint import Checkpoint


def add_pair_arguments(parser: argparse.ArgumentParser, generated: int | None = None) -> None:
    """Add --pairs and --generated; `generated` is the default number, None = one of both is required."""
    source = parser.add_mutually_exclusive_group(required=generated is None)
    source.add_argument("--pairs", type=Path, help="a table: TSV, CSV, JSON Lines or TMX")
    source.add_argument(
        "--generated", type=int, default=generated, metavar="N", help="pairs of a generated task"
    )
    add_columns(parser)


def pairs_of(checkpoint: Checkpoint, options: argparse.Namespace, seed: int) -> tuple[Pair, ...]:
    """The pairs that the arguments choose. Raises DataError."""
    config = checkpoint.config
    if options.pairs is not None:
        return read_pairs(options.pairs, hints_of(options, config.hints))
    if config.task not in TASKS:
        raise DataError(
            "pairs_needed",
            "the pairs of {checkpoint} cannot be generated: give --pairs, a TSV file of them",
            checkpoint=checkpoint.name,
        )
    return generate(config.task, options.generated, random.Random(seed))
