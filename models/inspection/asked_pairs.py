"""The pairs that a command of this room goes over: how they are asked for, and where they are from."""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from models.corpus.files.reading import add_columns, hints_of, read_pairs
from models.corpus.generated.all_tasks import TASKS, generate
from models.corpus.pairs import DataError, Pair
from models.registry.checkpoint import Checkpoint


def add_pairs(parser: argparse.ArgumentParser, generated: int | None = None) -> None:
    """Which pairs: so many are generated unless asked, None = a file or a number must be given."""
    source = parser.add_mutually_exclusive_group(required=generated is None)
    source.add_argument("--pairs", type=Path, help="a table: TSV, CSV, JSON Lines or TMX")
    told = "so many pairs of a generated task"
    source.add_argument("--generated", type=int, default=generated, metavar="N", help=told)
    add_columns(parser)


def asked_pairs(checkpoint: Checkpoint, options: argparse.Namespace, seed: int) -> tuple[Pair, ...]:
    """What those flags ask for. Raises DataError."""
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
